"""A package at one exact version, as a value. Reads and writes package URLs; knows no registry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Package:
    """One exact upstream release.

    `ecosystem` is a purl type (`npm`, `pypi`, `generic`); `name` includes a scope, as the
    ecosystem writes it (`@ai-sdk/provider-utils`).
    """

    ecosystem: str
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @classmethod
    def from_purl(cls, text: str) -> Package:
        """Read `pkg:npm/%40scope/name@1.2.3`; ValueError says what is wrong with any other text."""
        from packageurl import PackageURL  # imported late: `apply` never needs it

        url = PackageURL.from_string(text)
        if url.version is None:
            raise ValueError(f"no version in {text!r}")
        if url.qualifiers or url.subpath:
            raise ValueError(f"qualifiers and subpaths have no meaning here: {text!r}")
        name = f"{url.namespace}/{url.name}" if url.namespace else url.name
        return cls(ecosystem=url.type, name=name, version=url.version)

    @property
    def purl(self) -> str:
        """The package URL, in its canonical spelling."""
        from packageurl import PackageURL

        namespace, _, name = self.name.rpartition("/")
        return PackageURL(
            type=self.ecosystem, namespace=namespace or None, name=name, version=self.version
        ).to_string()
