"""Files are written whole or not at all, whatever happens in between."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from xl_tco.errors import TcoError
from xl_tco.writing import check_target, write_whole

OLD, NEW = b"old figures", b"new figures" * 10_000


def listing(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_writes_a_new_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.xlsx", NEW)
    assert (tmp_path / "a.xlsx").read_bytes() == NEW
    assert listing(tmp_path) == {"a.xlsx"}


def test_takes_a_path_as_text_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole("a.xlsx", NEW)
    assert (tmp_path / "a.xlsx").read_bytes() == NEW


def test_never_overwrites_without_force(tmp_path: Path) -> None:
    target = tmp_path / "a.xlsx"
    target.write_bytes(OLD)
    with pytest.raises(TcoError, match=r"a\.xlsx: exists; say --force to replace it"):
        write_whole(target, NEW)
    assert target.read_bytes() == OLD
    assert listing(tmp_path) == {"a.xlsx"}


def test_force_replaces(tmp_path: Path) -> None:
    target = tmp_path / "a.xlsx"
    target.write_bytes(OLD)
    write_whole(target, NEW, force=True)
    assert target.read_bytes() == NEW
    assert listing(tmp_path) == {"a.xlsx"}


def test_force_needs_no_old_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.xlsx", NEW, force=True)
    assert (tmp_path / "a.xlsx").read_bytes() == NEW


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_a_file_that_appears_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    target = tmp_path / "a.xlsx"
    fsync = os.fsync

    def another_process_is_faster(descriptor: int) -> None:
        fsync(descriptor)
        target.write_bytes(OLD)

    monkeypatch.setattr(os, "fsync", another_process_is_faster)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(TcoError, match="exists"):
        write_whole(target, NEW)
    assert target.read_bytes() == OLD
    assert listing(tmp_path) == {"a.xlsx"}


def no_links(*_: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_file_systems_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", no_links)
    write_whole(tmp_path / "a.xlsx", NEW)
    assert (tmp_path / "a.xlsx").read_bytes() == NEW
    assert listing(tmp_path) == {"a.xlsx"}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(TcoError, match="no space left"):
        write_whole(tmp_path / "b.xlsx", NEW)
    assert listing(tmp_path) == {"a.xlsx"}


def test_of_many_writers_at_once_one_wins(tmp_path: Path) -> None:
    target, refused = tmp_path / "a.xlsx", []
    start = threading.Barrier(8)

    def write(number: int) -> None:
        start.wait()
        try:
            write_whole(target, bytes([number]) * 100_000)
        except TcoError:
            refused.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 7
    assert len(set(target.read_bytes())) == 1
    assert listing(tmp_path) == {"a.xlsx"}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, force: bool
) -> None:
    target = tmp_path / "a.xlsx"
    if force:
        target.write_bytes(OLD)
    before = listing(tmp_path)

    def fail(_: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    expected = TcoError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected, match="no space left" if expected is TcoError else None):
        write_whole(target, NEW, force=force)
    assert listing(tmp_path) == before
    assert not force or target.read_bytes() == OLD


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL on Windows")
@pytest.mark.parametrize("force", [False, True])
def test_a_killed_writer_leaves_nothing_under_the_name(tmp_path: Path, force: bool) -> None:
    target = tmp_path / "a.xlsx"
    if force:
        target.write_bytes(OLD)
    script = (
        "import os, signal, sys\n"
        "from xl_tco.writing import write_whole\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"write_whole(sys.argv[1], b'half', force={force})\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(target)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert target.read_bytes() == OLD if force else not target.exists()


@pytest.mark.skipif(os.name == "nt", reason="permission bits of POSIX")
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "a.xlsx"
    target.write_bytes(OLD)
    target.chmod(0o640)
    write_whole(target, NEW, force=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="permission bits of POSIX")
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_follows_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "a.xlsx", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.xlsx").stat().st_mode) == mode


@pytest.fixture
def link(tmp_path: Path) -> Path:
    (tmp_path / "shared").mkdir()
    link = tmp_path / "link.xlsx"
    link.symlink_to(Path("shared", "real.xlsx"))
    return link


def test_a_link_stays_a_link(link: Path) -> None:
    real = link.parent / "shared" / "real.xlsx"
    real.write_bytes(OLD)
    with pytest.raises(TcoError, match="exists"):
        write_whole(link, NEW)
    write_whole(link, NEW, force=True)
    assert link.is_symlink()
    assert real.read_bytes() == NEW


def test_a_link_to_nothing_makes_what_it_points_at(link: Path) -> None:
    write_whole(link, NEW)
    assert link.is_symlink()
    assert (link.parent / "shared" / "real.xlsx").read_bytes() == NEW


def test_a_link_in_a_circle(tmp_path: Path) -> None:
    link = tmp_path / "a.xlsx"
    link.symlink_to(link)
    with pytest.raises(TcoError, match="too many levels of symbolic links"):
        write_whole(link, NEW, force=True)
    assert link.is_symlink()


@pytest.mark.parametrize("force", [False, True])
def test_no_directory_to_be_in(tmp_path: Path, force: bool) -> None:
    with pytest.raises(TcoError, match=r"there is no directory .*nowhere"):
        write_whole(tmp_path / "nowhere" / "a.xlsx", NEW, force=force)
    assert listing(tmp_path) == set()


def test_a_directory_is_no_target(tmp_path: Path) -> None:
    with pytest.raises(TcoError, match="is a directory; name a file"):
        write_whole(tmp_path, NEW, force=True)


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(OLD)
    with pytest.raises(TcoError, match="not a directory"):
        write_whole(tmp_path / "file" / "a.xlsx", NEW)


@pytest.mark.skipif(os.name == "nt", reason="devices of POSIX")
def test_a_device_is_not_replaced() -> None:
    with pytest.raises(TcoError, match="is no regular file"):
        write_whole(os.devnull, NEW, force=True)
    assert not Path(os.devnull).is_file()


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(TcoError, match="name too long"):
        write_whole(tmp_path / ("a" * 300), NEW)


def test_the_longest_name_that_fits(tmp_path: Path) -> None:
    target = tmp_path / ("a" * 250 + ".xlsx")
    write_whole(target, NEW)
    assert target.read_bytes() == NEW


@pytest.fixture
def guarded() -> Iterator[Path]:
    """A directory that an ordinary user may look into and not write to, and be that user."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "old.xlsx").write_bytes(OLD)
        (folder / "old.xlsx").chmod(0o444)
        folder.chmod(0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="permission bits of POSIX")
def test_a_directory_that_is_read_only(guarded: Path) -> None:
    with pytest.raises(TcoError, match=r"new\.xlsx: permission denied"):
        write_whole(guarded / "new.xlsx", NEW)
    assert listing(guarded) == {"old.xlsx"}


@pytest.mark.skipif(os.name == "nt", reason="permission bits of POSIX")
def test_a_file_that_is_write_protected(guarded: Path) -> None:
    with pytest.raises(TcoError, match="is write-protected"):
        write_whole(guarded / "old.xlsx", NEW, force=True)
    assert (guarded / "old.xlsx").read_bytes() == OLD


def test_asking_first_writes_nothing(tmp_path: Path) -> None:
    assert check_target(tmp_path / "a.xlsx") == (tmp_path / "a.xlsx").resolve()
    assert listing(tmp_path) == set()
