"""Files, written whole or not at all.

What is written first goes to a hidden file in the same directory, is flushed to the disk, and only
then takes the final name. A full disk, an exception or a killed process leaves the old file as it
was, or none; a killed process can leave the hidden file behind, never a part under the final name.

This module knows bytes and names, and nothing of what is in them.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from xl_tco.errors import TcoError

__all__ = ["check_target", "write_whole"]


def check_target(path: str | Path, *, force: bool = False) -> Path:
    """Return the file that a path stands for, links followed, if it may be written.

    Ask before long work; `write_whole` asks again, so that nothing can come between.

    Parameters
    ----------
    path
        Where to write. A link stays a link: the file that it points at is meant.
    force
        Whether a file that exists may be replaced.

    Raises
    ------
    TcoError
        If it exists and may not be replaced, is no file, or has no directory to be in.
    """
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        if target.parent.is_dir():
            return target
        raise TcoError(f"{path}: there is no directory {target.parent}") from None
    except OSError as error:
        raise _refusal(path, error) from None
    if stat.S_ISDIR(mode):
        raise TcoError(f"{path}: is a directory; name a file")
    if not stat.S_ISREG(mode):
        raise TcoError(f"{path}: is no regular file and cannot be replaced as a whole")
    if not force:
        raise _exists(path)
    if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise TcoError(f"{path}: is write-protected")
    return target


def write_whole(path: str | Path, data: bytes, *, force: bool = False) -> None:
    """Write a file: all of it, or nothing.

    Parameters
    ----------
    path
        Where to write.
    data
        What the file holds.
    force
        Replace a file that exists; it keeps its permissions. Without, a file that appears at the
        last moment, from another process, is not overwritten either.

    Raises
    ------
    TcoError
        If it cannot be written, with the reason.
    """
    target = check_target(path, force=force)
    draft = target.with_name(f".xl-tco-{secrets.token_hex(8)}.tmp")
    try:
        try:
            with draft.open("xb") as file:  # the mode of a new file: by the umask
                if force:
                    _copy_permissions(target, draft)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if force:
                draft.replace(target)
            else:
                _name_once(draft, target)
        finally:
            with suppress(OSError):
                draft.unlink()
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise _refusal(path, error) from None


def _copy_permissions(old: Path, new: Path) -> None:
    with suppress(FileNotFoundError):
        new.chmod(stat.S_IMODE(old.stat().st_mode))


def _name_once(draft: Path, target: Path) -> None:
    """Give a draft its final name, or raise FileExistsError if something has it already."""
    try:
        os.link(draft, target)
        return
    except FileExistsError:
        raise
    except OSError:
        pass  # a file system without hard links: take the name first, empty, then fill it
    target.open("xb").close()
    try:
        draft.replace(target)
    except BaseException:
        target.unlink()
        raise


def _exists(path: str | Path) -> TcoError:
    return TcoError(f"{path}: exists; say --force to replace it")


def _refusal(path: str | Path, error: OSError) -> TcoError:
    return TcoError(f"{path}: {(error.strerror or str(error)).lower()}")
