"""Commands that stand in prose without backticks: found by the programs that they call. Pure."""

from collections.abc import Iterator

from core.guard.code import HOLE
from core.guard.lists import words
from core.guard.tokens import deeds_in_code

_PROGRAMS = words(
    """ansible ansible-playbook apk apt apt-get argocd aws awk az bash brew btrfs cephadm certbot
    chattr chgrp chmod chown chroot cmctl cp crictl crontab ctr curl dd df dig dmesg dnf docker
    docker-compose dpkg du eksctl etcdctl etcdutl fdisk firewall-cmd flux fsck fstrim gcloud gh
    git grep growpart gsutil helm iptables ip6tables istioctl java journalctl jq kill killall
    kinit kubeadm kubectl kustomize ln logrotate losetup ls lsblk lsof lvextend lvremove
    lvresize mdadm mkdir mkfs mkfs.ext4 mkfs.xfs mongo mongosh mount mv mysql mysqladmin nc nft
    nmap node nohup npm nsenter nslookup openssl parted patronictl perl pg_ctl pg_dump
    pg_resetwal pgbackrest pg_restore ping pip pkill podman poweroff psql pvcreate python
    python3 rabbitmq-diagnostics rabbitmqctl reboot redis-cli resize2fs rm rmdir rsync ruby scp
    sed setenforce sh shred shutdown skopeo snap ssh strace su sudo swapoff sysctl systemctl tar
    tc tcpdump tee terraform timedatectl truncate tune2fs ufw ulimit umount unzip useradd
    userdel vgremove velero virsh visudo wget wipefs xargs xfs_growfs xfs_repair yarn yum zfs
    zpool zypper"""
)
_ALSO_WORDS = words(
    "kill mount ping node java snap truncate reboot shutdown poweroff tee su sh parted ip flux"
)
_AFTER = words(
    """is are was were tries shows must can will may should on in from and or to does has with for
    only then itself says prints reports returns refuses before after if when while runs by at
    as a an the of not never also still here there again first"""
)
_MAX_WORDS = 40


def is_command(span: str) -> bool:
    """Return whether a code span is something to run or a flag of it, no name or state."""
    first = span.split(maxsplit=1)[0] if span.strip() else ""
    if span.startswith("-") or first in _PROGRAMS:
        return True
    return (" " in span or span.isupper()) and (bool(deeds_in_code(span)) or " -" in span)


def bare_commands(prose: str, heads: frozenset[str]) -> Iterator[str]:
    """Yield each command without backticks, from its program up to the end of its words.

    `heads` are the programs of the cited sections. A program that is an English word as well
    counts where something follows it that is none.
    """
    for line in prose.replace(HOLE, " ").split("\n"):
        words = line.split()
        bare = [word.strip("$#>*\"'(:,;.") for word in words]
        if _PROGRAMS.isdisjoint(bare) and heads.isdisjoint(bare):
            continue
        taken = 0
        for at, program in enumerate(bare):
            if at >= taken and (command := _command(words, at, program, heads)):
                taken = at + len(command)
                yield " ".join(command)


def _command(words: list[str], at: int, program: str, heads: frozenset[str]) -> list[str]:
    if (program not in _PROGRAMS and program not in heads) or words[at][-1] in ",;:.)":
        return []
    following = words[at + 1 : at + _MAX_WORDS]
    if not following or (following[0].isalpha() and following[0] in _AFTER):
        return []
    doubtful = program in _ALSO_WORDS or program not in _PROGRAMS
    if doubtful and not _is_argument(following[0]):
        return []
    taken = [program, following[0].rstrip(".,;:)")]
    for word in following[1:]:
        if taken[-1] != words[at + len(taken) - 1] or not _is_argument(word):
            break
        taken.append(word.rstrip(".,;:)"))
    return taken


def _is_argument(word: str) -> bool:
    bare = word.rstrip(".,;:)")
    return (
        (bool(bare) and not bare.isalpha() and bare[0] in "-/$~\"'{|.<>")
        or "=" in bare
        or "/" in bare
    )
