# Boots the systemd of this machine as the first process of namespaces of its own, over a copy of
# its files that is gone afterwards. Started by `unshare`; $1 is an empty directory.
set -eu
mount -t tmpfs -o size=1g none "$1"
mkdir "$1/upper" "$1/work" "$1/net" "$1/root"
root=$1/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root"

# What the kernel has for all namespaces together cannot be written; what is of the network can.
mount -t proc proc "$root/proc"
mount -o bind "$root/proc/sys/net" "$1/net"
mount -o bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -o bind "$1/net" "$root/proc/sys/net"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs none "$root/run"
mount -t tmpfs none "$root/dev"
mkdir "$root/dev/net" "$root/dev/shm"
for each in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0 net/tun:10:200; do
    IFS=: read -r name major minor <<< "$each"
    mknod -m 666 "$root/dev/$name" c "$major" "$minor"
done
ln -s /proc/self/fd "$root/dev/fd"

# Nothing of this machine's services.
units=$root/etc/systemd/system
rm -rf "$units"/*.wants "$units"/*.service "$units"/*.timer "$units"/*.socket
for each in systemd-udevd systemd-tmpfiles-setup systemd-logind console-getty getty@tty1; do
    ln -s /dev/null "$units/$each.service"
done
ln -sf /lib/systemd/system/multi-user.target "$units/default.target"
: > "$root/etc/fstab"

cd "$root"
mkdir "$root/run/old"
pivot_root . run/old
umount -l /run/old
exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --show-status=no < /dev/null
