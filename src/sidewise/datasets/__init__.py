"""Which data? Named data sets: got, verified and read; manifests of any files; builders of new sets."""

from sidewise.datasets.checking import Check, verify
from sidewise.datasets.data_set import DataSet, load
from sidewise.datasets.getting import get
from sidewise.datasets.manifests import (
    Verified,
    hash_files,
    read_manifest,
    same_files,
    verify_manifest,
    write_manifest,
)
from sidewise.datasets.obtaining import Got, Step
from sidewise.datasets.places import data_folder
from sidewise.datasets.registry import DataFile, Entry, Images, find, registry

__all__ = [
    "Check",
    "DataFile",
    "DataSet",
    "Entry",
    "Got",
    "Images",
    "Step",
    "Verified",
    "data_folder",
    "find",
    "get",
    "hash_files",
    "load",
    "read_manifest",
    "registry",
    "same_files",
    "verify",
    "verify_manifest",
    "write_manifest",
]
