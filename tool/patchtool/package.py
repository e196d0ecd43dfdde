"""A package at one exact version, as a value. Reads and writes package URLs; knows no registry."""

from __future__ import annotations

from patchtool.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Vendored:
    """Where a project keeps its own copy of a package, and what that copy was made from.

    `path` is its directory, from the project's root. `origin` is the package URL of a release, or
    the address of an archive; `origin_path` the directory in there that was copied, "" for all of
    it. `left_out` and `added` are patterns of paths in the copy, in which `*` also matches a `/`.
    """

    path: str
    origin: str
    origin_path: str = ""
    left_out: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def release(self) -> Package | None:
        """The release that the copy was made from; None if it was made from an archive."""
        return Package.from_purl(self.origin) if self.origin.startswith("pkg:") else None


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Package:
    """One exact upstream release.

    `ecosystem` is a purl type (`npm`, `pypi`, `generic`); `name` includes a scope, as the
    ecosystem writes it (`@ai-sdk/provider-utils`). `file` is the name of the release's file that
    is meant, where it has several (an sdist, wheels for platforms); "" leaves the choice to the
    ecosystem. `vendored` tells about a package that is part of the project (`generic`).
    """

    ecosystem: str
    name: str
    version: str
    file: str = ""
    vendored: Vendored | None = None

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
        """Another release of the same package; a named file is the one named alike.

        What is vendored was made from that other release of its origin.
        """
        file = self.file.replace(f"-{self.version}", f"-{version}", 1)
        vendored = self.vendored
        if vendored is not None and vendored.release is not None:
            vendored = replace(vendored, origin=vendored.release.at(version).purl)
        elif vendored is not None:
            vendored = replace(vendored, origin=vendored.origin.replace(self.version, version))
        return replace(self, version=version, file=file, vendored=vendored)
