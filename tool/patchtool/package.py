"""A package at one exact version, as a value. Reads and writes package URLs; knows no registry."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Package:
    """One exact upstream release.

    `ecosystem` is a purl type (`npm`, `pypi`, `generic`); `name` includes a scope, as the
    ecosystem writes it (`@ai-sdk/provider-utils`). `file` is the name of the release's file that
    is meant, where it has several (an sdist, wheels for platforms); "" leaves the choice to the
    ecosystem.
    """

    ecosystem: str
    name: str
    version: str
    file: str = ""

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @classmethod
    def from_purl(cls, text: str) -> Package:
        """Read `pkg:npm/%40scope/name@1.2.3`; ValueError says what is wrong with any other text.

        A file of a Python release is named as in `pkg:pypi/name@1.2.3?file_name=name-1.2.3.tar.gz`.
        A package URL puts npm's names in lower case, but old names have capitals and are others
        without them (`JSONStream`): the name is kept as written. Any other spelling than the
        canonical one is refused.
        """
        from urllib.parse import unquote

        from packageurl import PackageURL  # imported late: `apply` never needs it

        url = PackageURL.from_string(text)
        if url.version is None:
            raise ValueError(f"no version in {text!r}")
        known = {"file_name"} if url.type == "pypi" else set()
        if url.qualifiers.keys() - known or url.subpath:
            raise ValueError(f"qualifiers and subpaths have no meaning here: {text!r}")
        start, end = f"pkg:{url.type}/", f"@{url.version}"
        package = cls(
            ecosystem=url.type,
            name=unquote(text.partition("?")[0]).removeprefix(start).removesuffix(end),
            version=url.version,
            file=url.qualifiers.get("file_name", ""),
        )
        if package.purl.lower() != url.to_string().lower():
            raise ValueError(f"the canonical spelling is {url.to_string()!r}")
        return package

    @property
    def purl(self) -> str:
        """The package URL, in its canonical spelling, but with the capitals of the name."""
        from urllib.parse import quote

        file = f"?file_name={quote(self.file)}" if self.file else ""
        return f"pkg:{self.ecosystem}/{quote(self.name)}@{quote(self.version)}{file}"

    def of_file(self, file: str) -> Package:
        """The same release, with one of its files named."""
        return replace(self, file=file)

    def at(self, version: str) -> Package:
        """Another release of the same package; a named file is the one named alike."""
        file = self.file.replace(f"-{self.version}", f"-{version}", 1)
        return replace(self, version=version, file=file)
