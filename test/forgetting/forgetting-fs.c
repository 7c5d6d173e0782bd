/*
 * A file system in memory that forgets, as a disk does when the power goes: what no fsync made durable may be lost.
 *
 *     forgetting-fs MOUNTPOINT MODEL
 *
 * Programs see one tree, and the disk has another one. Each change is made in the tree that programs see, and noted as
 * a step that the disk does not have yet; fsync carries the steps that it promises over to the disk. The models are:
 *
 * strict    What POSIX promises and no more. fsync of a file makes its bytes durable, and fsync of a folder the names in
 *           it. At a cut any other steps are lost: a later one may survive an earlier one, bytes may be zeros.
 * ordered   What ext4, XFS and Btrfs do. Names and modes reach the disk in their order, and each fsync takes all of
 *           those before it along. At a cut the last of them are lost. Bytes are kept or lost for each file by itself.
 * device    A file is a disk with a cache: fsync empties the cache. At a cut any writes since then are lost or torn.
 *
 * Commands are lines on standard input; each is answered with one line of JSON:
 *
 * arm COUNT             The power goes after so many more calls that change something. {"off":true} says so; from then on
 *                       no call is answered, and programs wait until they are killed or the power is there again.
 * cut SEED              The power goes now, if it has not: whatever is lost by this seed is gone, and the file system is
 *                       mounted anew, so that the kernel remembers nothing of it. Kill all programs that use it before.
 * save SEED NAME PATH   Writes what a cut would leave of the file NAME to PATH on another disk, and forgets nothing.
 * on                    Goes on as if the power had never gone.
 * settle                Everything becomes durable, as a disk writes it by itself after some seconds.
 * count                 How many calls changed something so far.
 *
 * It ends when standard input does. Calls are answered one after the other by one thread, so nothing has a lock.
 */
#define FUSE_USE_VERSION 35
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* The tree that programs see, and that of the disk. Everything that a node holds exists once for each of them. */
enum side { SEEN, DISK, SIDES };

struct bytes {
	char *data;
	size_t length, room;
};

struct name {
	char *text;
	struct node *node;
};

struct names {
	struct name *list;
	size_t count, room;
};

struct facts {
	mode_t mode;
	uid_t uid;
	gid_t gid;
	struct timespec read, changed, touched; /* atime, mtime, ctime */
};

/* A file, folder or link, whatever names lead to it. It lives until a cut finds that no name does. */
struct node {
	fuse_ino_t number;
	char *target; /* of a link */
	struct facts facts[SIDES];
	struct bytes bytes[SIDES];
	struct names names[SIDES];
	unsigned links; /* names in the tree that programs see */
	bool reached;
	size_t steps, kept; /* scratch of one cut */
};

enum kind { WRITE, SIZE, FACTS, NAME };
enum fate { GONE, KEPT, HALF, ZEROS };

/* A change that the disk does not have yet. */
struct step {
	enum kind kind;
	enum fate fate;
	struct node *node;   /* whose bytes or facts change, or the folder of the name */
	struct facts facts;  /* of that node afterwards */
	off_t offset;        /* WRITE; the new size of SIZE */
	size_t length;
	char *data;
	char *name;          /* NAME: from now on this name leads to `to`; NULL: to nothing */
	struct node *to;
	struct node *from;   /* a rename takes this name away in the same step */
	char *from_name;
};

static enum { STRICT, ORDERED, DEVICE } model;
static struct fuse_session *session;
static const char *mountpoint;
static struct node **nodes;
static size_t node_count, node_room;
static struct step **steps;
static size_t step_count, step_room;
static uint64_t calls, calls_left;
static bool is_armed, is_off;
static uint64_t chance_state;

static const double for_ever = 1e9;

static void *must(void *memory)
{
	if (memory == NULL) {
		perror("forgetting-fs");
		exit(1);
	}
	return memory;
}

/* A row of numbers that is the same for the same seed: splitmix64. */
static uint64_t next_number(void)
{
	uint64_t mixed = (chance_state += 0x9e3779b97f4a7c15);
	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
	return mixed ^ (mixed >> 31);
}

static size_t below(size_t limit)
{
	return limit == 0 ? 0 : next_number() % limit;
}

static bool happens(unsigned percent)
{
	return below(100) < percent;
}

/* ---- bytes ---- */

/* New room is zeros. A large file that begins empty takes no memory until it is written to. */
static void resize(struct bytes *bytes, size_t length)
{
	if (length > bytes->room) {
		size_t room = bytes->room == 0 ? length : length + length / 2;
		if (bytes->room == 0) {
			bytes->data = must(calloc(1, room));
		} else {
			bytes->data = must(realloc(bytes->data, room));
			memset(bytes->data + bytes->room, 0, room - bytes->room);
		}
		bytes->room = room;
	}
	if (length < bytes->length)
		memset(bytes->data + length, 0, bytes->length - length);
	bytes->length = length;
}

static void put_bytes(struct bytes *bytes, off_t offset, const char *data, size_t length)
{
	if (length == 0)
		return;
	if (offset + length > bytes->length)
		resize(bytes, offset + length);
	if (data == NULL)
		memset(bytes->data + offset, 0, length);
	else
		memcpy(bytes->data + offset, data, length);
}

static void copy_bytes(struct bytes *to, const struct bytes *from)
{
	free(to->data);
	*to = (struct bytes){0};
	resize(to, from->length);
	/* Untouched pages of a sparse file stay untouched. */
	for (size_t at = 0; at < from->length; at += 4096) {
		static const char zeros[4096];
		size_t length = from->length - at < 4096 ? from->length - at : 4096;
		if (memcmp(from->data + at, zeros, length) != 0)
			memcpy(to->data + at, from->data + at, length);
	}
}

/* ---- names ---- */

static struct name *find_name(const struct names *names, const char *text)
{
	for (size_t at = 0; at < names->count; at++)
		if (strcmp(names->list[at].text, text) == 0)
			return &names->list[at];
	return NULL;
}

static void drop_name(struct names *names, struct name *name)
{
	free(name->text);
	*name = names->list[--names->count];
}

/* Null: the name is taken away. */
static void set_name(struct node *folder, enum side side, const char *text, struct node *node)
{
	struct names *names = &folder->names[side];
	struct name *there = find_name(names, text);
	if (there != NULL) {
		if (side == SEEN)
			there->node->links--;
		if (node == NULL)
			drop_name(names, there);
		else
			there->node = node;
	} else if (node != NULL) {
		if (names->count == names->room) {
			names->room = names->room * 2 + 4;
			names->list = must(realloc(names->list, names->room * sizeof *names->list));
		}
		names->list[names->count++] = (struct name){must(strdup(text)), node};
	}
	if (side == SEEN && node != NULL)
		node->links++;
}

static bool is_folder(const struct node *node)
{
	return S_ISDIR(node->facts[SEEN].mode);
}

static bool lies_below(const struct node *folder, enum side side, const struct node *wanted)
{
	if (folder == wanted)
		return true;
	for (size_t at = 0; at < folder->names[side].count; at++)
		if (lies_below(folder->names[side].list[at].node, side, wanted))
			return true;
	return false;
}

/* A folder has one name. Where the step that took its old one away was lost, its new one does so. */
static void take_old_names(struct node *node, enum side side, const struct node *folder, const char *text)
{
	for (size_t at = 0; at < node_count; at++) {
		struct names *names = nodes[at] == NULL ? NULL : &nodes[at]->names[side];
		for (size_t index = 0; names != NULL && index < names->count; index++)
			if (names->list[index].node == node &&
			    (nodes[at] != folder || strcmp(names->list[index].text, text) != 0))
				drop_name(names, &names->list[index--]);
	}
}

/* ---- nodes ---- */

static struct timespec now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	return time;
}

static struct node *make_node(mode_t mode, uid_t uid, gid_t gid)
{
	struct node *node = must(calloc(1, sizeof *node));
	struct timespec time = now();
	if (node_count == node_room) {
		node_room = node_room * 2 + 64;
		nodes = must(realloc(nodes, node_room * sizeof *nodes));
	}
	node->number = node_count;
	node->facts[SEEN] = node->facts[DISK] = (struct facts){mode, uid, gid, time, time, time};
	nodes[node_count++] = node;
	return node;
}

static void free_node(struct node *node)
{
	for (int side = 0; side < SIDES; side++) {
		free(node->bytes[side].data);
		while (node->names[side].count > 0)
			drop_name(&node->names[side], node->names[side].list);
		free(node->names[side].list);
	}
	free(node->target);
	nodes[node->number] = NULL;
	free(node);
}

/* ---- steps that the disk does not have yet ---- */

static struct step *add_step(enum kind kind, struct node *node)
{
	struct step *step = must(calloc(1, sizeof *step));
	if (step_count == step_room) {
		step_room = step_room * 2 + 64;
		steps = must(realloc(steps, step_room * sizeof *steps));
	}
	step->kind = kind;
	step->node = node;
	step->facts = node->facts[SEEN];
	steps[step_count++] = step;
	return step;
}

static void free_step(struct step *step)
{
	free(step->data);
	free(step->name);
	free(step->from_name);
	free(step);
}

/* A disk writes its blocks whole. */
static size_t length_kept(const struct step *step)
{
	size_t half = step->length / 2;
	if (step->fate != HALF)
		return step->length;
	return model == DEVICE ? half - half % 4096 : half;
}

static void carry_over(const struct step *step)
{
	struct node *node = step->node;
	if (step->fate == GONE)
		return;
	if (step->kind == WRITE)
		put_bytes(&node->bytes[DISK], step->offset, step->fate == ZEROS ? NULL : step->data, length_kept(step));
	if (step->kind == SIZE)
		resize(&node->bytes[DISK], step->offset);
	if (step->kind == NAME) {
		bool is_moved_folder = step->to != NULL && S_ISDIR(step->to->facts[DISK].mode);
		if (is_moved_folder && lies_below(step->to, DISK, node))
			return;
		if (step->from != NULL) {
			struct name *old = find_name(&step->from->names[DISK], step->from_name);
			if (old != NULL && old->node == step->to)
				set_name(step->from, DISK, step->from_name, NULL);
		}
		set_name(node, DISK, step->name, step->to);
		if (is_moved_folder && step->from != NULL)
			take_old_names(step->to, DISK, node, step->name);
	}
	node->facts[DISK] = step->facts;
}

/* Carries the steps over that have a fate, and keeps the others for later. */
static void carry_chosen(void)
{
	size_t left = 0;
	for (size_t at = 0; at < step_count; at++) {
		if (steps[at]->fate == GONE) {
			steps[left++] = steps[at];
		} else {
			carry_over(steps[at]);
			free_step(steps[at]);
		}
	}
	step_count = left;
}

static bool has_name(const struct step *step, const struct node *folder, const char *name)
{
	return folder != NULL && ((step->node == folder && strcmp(step->name, name) == 0) ||
				  (step->from == folder && strcmp(step->from_name, name) == 0));
}

/* A rename into another folder is durable with either of the two: the earlier steps of its names are then, too. */
static void choose_earlier(size_t of)
{
	for (size_t at = of; at-- > 0;) {
		if (steps[at]->kind != NAME || steps[at]->fate == KEPT)
			continue;
		if (!has_name(steps[at], steps[of]->node, steps[of]->name) &&
		    !has_name(steps[at], steps[of]->from, steps[of]->from_name == NULL ? "" : steps[of]->from_name))
			continue;
		steps[at]->fate = KEPT;
		choose_earlier(at);
	}
}

static void make_durable(const struct node *node)
{
	for (size_t at = 0; at < step_count; at++) {
		struct step *step = steps[at];
		bool is_name = step->kind == NAME;
		if (step->node == node || (is_name && step->from == node) ||
		    (model == ORDERED && (is_name || step->kind == FACTS)))
			step->fate = KEPT;
	}
	for (size_t at = step_count; at-- > 0;)
		if (steps[at]->kind == NAME && steps[at]->fate == KEPT)
			choose_earlier(at);
	carry_chosen();
}

static void settle(void)
{
	for (size_t at = 0; at < step_count; at++)
		steps[at]->fate = KEPT;
	carry_chosen();
}

/* ---- a cut ---- */

/* So many of the steps of each node survive, from the first one on. */
static void choose_beginnings(bool with_names)
{
	for (size_t at = 0; at < step_count; at++)
		steps[at]->node->steps = steps[at]->node->kept = 0;
	for (size_t at = 0; at < step_count; at++)
		steps[at]->node->steps++;
	for (size_t at = 0; at < step_count; at++) {
		struct node *node = steps[at]->node;
		if (node->steps > 0)
			node->kept = happens(30) ? 0 : below(node->steps + 1);
		node->steps = 0;
	}
	for (size_t at = 0; at < step_count; at++) {
		struct node *node = steps[at]->node;
		bool is_metadata = steps[at]->kind == NAME || steps[at]->kind == FACTS;
		if (is_metadata && !with_names)
			continue;
		if (node->kept > 0)
			node->kept--, steps[at]->fate = KEPT;
		else if (steps[at]->kind == WRITE && node->steps++ == 0 && happens(50))
			steps[at]->fate = HALF;
	}
}

static void choose_any(unsigned percent)
{
	for (size_t at = 0; at < step_count; at++)
		if (happens(percent))
			steps[at]->fate = KEPT;
		else if (steps[at]->kind == WRITE && happens(20))
			steps[at]->fate = model == DEVICE || happens(50) ? HALF : ZEROS;
}

static void choose_first(size_t count)
{
	for (size_t at = 0; at < count; at++)
		steps[at]->fate = KEPT;
}

static void choose_metadata(size_t count)
{
	for (size_t at = 0; at < count; at++)
		if (steps[at]->kind == NAME || steps[at]->kind == FACTS)
			steps[at]->fate = KEPT;
}

static void choose_survivors(uint64_t seed)
{
	chance_state = seed;
	next_number();
	if (happens(15))
		return;
	if (model == ORDERED) {
		choose_metadata(happens(30) ? step_count : below(step_count + 1));
		choose_beginnings(false);
	} else if (model == STRICT && happens(25)) {
		choose_beginnings(true);
	} else if (happens(15)) {
		choose_first(below(step_count + 1));
	} else {
		choose_any(10 + below(81));
	}
}

static void tell_losses(const char *what)
{
	size_t names = 0, writes = 0, torn = 0, other = 0;
	for (size_t at = 0; at < step_count; at++) {
		const struct step *step = steps[at];
		torn += step->fate == HALF || step->fate == ZEROS;
		if (step->fate != GONE)
			continue;
		names += step->kind == NAME;
		writes += step->kind == WRITE;
		other += step->kind == SIZE || step->kind == FACTS;
	}
	printf("{\"%s\":true,\"pending\":%zu,\"names\":%zu,\"writes\":%zu,\"torn\":%zu,\"other\":%zu}\n", what, step_count,
	       names, writes, torn, other);
	fflush(stdout);
}

static void reach(struct node *node)
{
	if (node->reached)
		return;
	node->reached = true;
	for (size_t at = 0; at < node->names[DISK].count; at++)
		reach(node->names[DISK].list[at].node);
}

static void mount_here(void);
static void unmount_here(void);

/* What the disk has is all that programs see from now on. */
static void cut(uint64_t seed)
{
	unmount_here();
	choose_survivors(seed);
	for (size_t at = 0; at < step_count; at++)
		carry_over(steps[at]);
	for (size_t at = 0; at < node_count; at++)
		if (nodes[at] != NULL)
			nodes[at]->reached = false, nodes[at]->links = 0;
	reach(nodes[FUSE_ROOT_ID]);
	for (size_t at = 0; at < node_count; at++) {
		struct node *node = nodes[at];
		if (node == NULL || !node->reached)
			continue;
		node->facts[SEEN] = node->facts[DISK];
		copy_bytes(&node->bytes[SEEN], &node->bytes[DISK]);
		while (node->names[SEEN].count > 0)
			drop_name(&node->names[SEEN], node->names[SEEN].list);
	}
	for (size_t at = 0; at < node_count; at++)
		for (size_t index = 0; nodes[at] != NULL && nodes[at]->reached && index < nodes[at]->names[DISK].count; index++)
			set_name(nodes[at], SEEN, nodes[at]->names[DISK].list[index].text, nodes[at]->names[DISK].list[index].node);
	for (size_t at = 0; at < node_count; at++)
		if (nodes[at] != NULL && !nodes[at]->reached)
			free_node(nodes[at]);
	is_armed = is_off = false;
	mount_here();
	tell_losses("cut");
	for (size_t at = 0; at < step_count; at++)
		free_step(steps[at]);
	step_count = 0;
}

/* Holes stay holes. */
static bool write_out(const struct bytes *bytes, const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool ok = file >= 0 && ftruncate(file, bytes->length) == 0;
	for (size_t at = 0; ok && at < bytes->length; at += 4096) {
		static const char zeros[4096];
		size_t length = bytes->length - at < 4096 ? bytes->length - at : 4096;
		if (memcmp(bytes->data + at, zeros, length) != 0)
			ok = pwrite(file, bytes->data + at, length, at) == (ssize_t)length;
	}
	return file >= 0 && close(file) == 0 && ok;
}

static void save(uint64_t seed, const char *text, const char *path)
{
	struct name *name = find_name(&nodes[FUSE_ROOT_ID]->names[SEEN], text);
	struct bytes bytes = {0};
	bool ok = name != NULL;
	if (ok) {
		copy_bytes(&bytes, &name->node->bytes[DISK]);
		choose_survivors(seed);
		for (size_t at = 0; at < step_count; at++) {
			const struct step *step = steps[at];
			if (step->node != name->node || step->fate == GONE)
				continue;
			if (step->kind == WRITE)
				put_bytes(&bytes, step->offset, step->fate == ZEROS ? NULL : step->data, length_kept(step));
			if (step->kind == SIZE)
				resize(&bytes, step->offset);
		}
		ok = write_out(&bytes, path);
		free(bytes.data);
	}
	if (ok)
		tell_losses("saved");
	else
		printf("{\"error\":\"cannot save %s\"}\n", text), fflush(stdout);
	for (size_t at = 0; at < step_count; at++)
		steps[at]->fate = GONE;
}

/* ---- what programs call ---- */

static void count_call(void)
{
	calls++;
	if (!is_armed || --calls_left > 0)
		return;
	is_armed = false;
	is_off = true;
	printf("{\"off\":true}\n");
	fflush(stdout);
}

static struct stat stat_of(const struct node *node)
{
	const struct facts *facts = &node->facts[SEEN];
	size_t length = node->target == NULL ? node->bytes[SEEN].length : strlen(node->target);
	/* As on Btrfs, a folder has one link, so that no program counts its folders by them. */
	return (struct stat){
		.st_ino = node->number,
		.st_mode = facts->mode,
		.st_nlink = is_folder(node) ? 1 : node->links,
		.st_uid = facts->uid,
		.st_gid = facts->gid,
		.st_size = length,
		.st_blksize = 4096,
		.st_blocks = (length + 511) / 512,
		.st_atim = facts->read,
		.st_mtim = facts->changed,
		.st_ctim = facts->touched,
	};
}

static struct fuse_entry_param entry_of(const struct node *node)
{
	return (struct fuse_entry_param){
		.ino = node->number,
		.attr = stat_of(node),
		.attr_timeout = for_ever,
		.entry_timeout = for_ever,
	};
}

static void reply_entry(fuse_req_t request, const struct node *node)
{
	struct fuse_entry_param entry = entry_of(node);
	fuse_reply_entry(request, &entry);
}

static void touch(struct node *node, bool is_content)
{
	node->facts[SEEN].touched = now();
	if (is_content)
		node->facts[SEEN].changed = node->facts[SEEN].touched;
}

static void change_name(struct node *folder, const char *text, struct node *to, struct node *from, const char *from_text)
{
	struct name *there = find_name(&folder->names[SEEN], text);
	if (there != NULL)
		touch(there->node, false);
	if (to != NULL)
		touch(to, false);
	if (from != NULL) {
		set_name(from, SEEN, from_text, NULL);
		touch(from, true);
	}
	set_name(folder, SEEN, text, to);
	touch(folder, true);
	struct step *step = add_step(NAME, folder);
	step->name = must(strdup(text));
	step->to = to;
	step->from = from;
	step->from_name = from == NULL ? NULL : must(strdup(from_text));
}

static void on_init(void *data, struct fuse_conn_info *connection)
{
	(void)data;
	connection->want &= ~FUSE_CAP_WRITEBACK_CACHE;
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *text)
{
	struct name *name = find_name(&nodes[parent]->names[SEEN], text);
	if (name == NULL)
		fuse_reply_err(request, ENOENT);
	else
		reply_entry(request, name->node);
}

static void on_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file)
{
	struct stat stat = stat_of(nodes[number]);
	(void)file;
	fuse_reply_attr(request, &stat, for_ever);
}

static void set_size(struct node *node, off_t size)
{
	resize(&node->bytes[SEEN], size);
	touch(node, true);
	add_step(SIZE, node)->offset = size;
}

static void on_setattr(fuse_req_t request, fuse_ino_t number, struct stat *wanted, int which, struct fuse_file_info *file)
{
	struct node *node = nodes[number];
	struct facts *facts = &node->facts[SEEN];
	if (which & FUSE_SET_ATTR_SIZE)
		set_size(node, wanted->st_size);
	if (which & FUSE_SET_ATTR_MODE)
		facts->mode = (facts->mode & S_IFMT) | (wanted->st_mode & 07777);
	if (which & FUSE_SET_ATTR_UID)
		facts->uid = wanted->st_uid;
	if (which & FUSE_SET_ATTR_GID)
		facts->gid = wanted->st_gid;
	touch(node, false);
	if (which & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW))
		facts->read = which & FUSE_SET_ATTR_ATIME_NOW ? facts->touched : wanted->st_atim;
	if (which & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW))
		facts->changed = which & FUSE_SET_ATTR_MTIME_NOW ? facts->touched : wanted->st_mtim;
	if (which & ~FUSE_SET_ATTR_SIZE)
		add_step(FACTS, node);
	on_getattr(request, number, file);
	count_call();
}

static struct node *add_node(fuse_req_t request, fuse_ino_t parent, const char *text, mode_t mode)
{
	const struct fuse_ctx *caller = fuse_req_ctx(request);
	struct node *node = make_node(mode, caller->uid, caller->gid);
	change_name(nodes[parent], text, node, NULL, NULL);
	return node;
}

static void on_mknod(fuse_req_t request, fuse_ino_t parent, const char *text, mode_t mode, dev_t device)
{
	(void)device;
	reply_entry(request, add_node(request, parent, text, mode));
	count_call();
}

static void on_mkdir(fuse_req_t request, fuse_ino_t parent, const char *text, mode_t mode)
{
	on_mknod(request, parent, text, S_IFDIR | mode, 0);
}

static void on_symlink(fuse_req_t request, const char *target, fuse_ino_t parent, const char *text)
{
	struct node *node = add_node(request, parent, text, S_IFLNK | 0777);
	node->target = must(strdup(target));
	reply_entry(request, node);
	count_call();
}

static void on_create(fuse_req_t request, fuse_ino_t parent, const char *text, mode_t mode, struct fuse_file_info *file)
{
	struct fuse_entry_param entry = entry_of(add_node(request, parent, text, S_IFREG | (mode & 07777)));
	fuse_reply_create(request, &entry, file);
	count_call();
}

static void on_link(fuse_req_t request, fuse_ino_t number, fuse_ino_t parent, const char *text)
{
	change_name(nodes[parent], text, nodes[number], NULL, NULL);
	reply_entry(request, nodes[number]);
	count_call();
}

static void on_readlink(fuse_req_t request, fuse_ino_t number)
{
	fuse_reply_readlink(request, nodes[number]->target);
}

static void on_unlink(fuse_req_t request, fuse_ino_t parent, const char *text)
{
	struct name *name = find_name(&nodes[parent]->names[SEEN], text);
	if (name == NULL || (is_folder(name->node) && name->node->names[SEEN].count > 0)) {
		fuse_reply_err(request, name == NULL ? ENOENT : ENOTEMPTY);
		return;
	}
	change_name(nodes[parent], text, NULL, NULL, NULL);
	fuse_reply_err(request, 0);
	count_call();
}

static void on_rename(fuse_req_t request, fuse_ino_t parent, const char *text, fuse_ino_t to, const char *to_text,
		      unsigned flags)
{
	struct name *name = find_name(&nodes[parent]->names[SEEN], text);
	struct name *there = find_name(&nodes[to]->names[SEEN], to_text);
	int problem = 0;
	if (flags & ~RENAME_NOREPLACE)
		problem = EINVAL;
	else if (name == NULL)
		problem = ENOENT;
	else if (there != NULL && flags & RENAME_NOREPLACE)
		problem = EEXIST;
	else if (there != NULL && is_folder(there->node) && there->node->names[SEEN].count > 0)
		problem = ENOTEMPTY;
	if (problem == 0)
		change_name(nodes[to], to_text, name->node, nodes[parent], text);
	fuse_reply_err(request, problem);
	if (problem == 0)
		count_call();
}

static void on_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file)
{
	bool truncates = file->flags & O_TRUNC;
	if (truncates)
		set_size(nodes[number], 0);
	/* Only calls through this mount change a file, so what the kernel has read of it stays true. */
	file->keep_cache = !truncates;
	fuse_reply_open(request, file);
	if (truncates)
		count_call();
}

static void on_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *file)
{
	const struct bytes *bytes = &nodes[number]->bytes[SEEN];
	size_t left = (size_t)offset < bytes->length ? bytes->length - offset : 0;
	(void)file;
	fuse_reply_buf(request, left == 0 ? NULL : bytes->data + offset, left < size ? left : size);
}

static void on_write(fuse_req_t request, fuse_ino_t number, const char *data, size_t size, off_t offset,
		     struct fuse_file_info *file)
{
	struct node *node = nodes[number];
	(void)file;
	put_bytes(&node->bytes[SEEN], offset, data, size);
	touch(node, true);
	struct step *step = add_step(WRITE, node);
	step->offset = offset;
	step->length = size;
	step->data = must(malloc(size == 0 ? 1 : size));
	memcpy(step->data, data, size);
	fuse_reply_write(request, size);
	count_call();
}

static void on_fsync(fuse_req_t request, fuse_ino_t number, int data_only, struct fuse_file_info *file)
{
	(void)data_only;
	(void)file;
	make_durable(nodes[number]);
	fuse_reply_err(request, 0);
	count_call();
}

/* The names as they are now: programs read a folder while they remove what is in it. */
struct listing {
	char *data;
	size_t length;
};

static void add_to(struct listing *listing, fuse_req_t request, const char *text, const struct node *node)
{
	struct stat stat = stat_of(node);
	size_t size = fuse_add_direntry(request, NULL, 0, text, NULL, 0);
	listing->data = must(realloc(listing->data, listing->length + size));
	fuse_add_direntry(request, listing->data + listing->length, size, text, &stat, listing->length + size);
	listing->length += size;
}

static void on_opendir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file)
{
	struct listing *listing = must(calloc(1, sizeof *listing));
	struct node *node = nodes[number];
	add_to(listing, request, ".", node);
	add_to(listing, request, "..", node);
	for (size_t at = 0; at < node->names[SEEN].count; at++)
		add_to(listing, request, node->names[SEEN].list[at].text, node->names[SEEN].list[at].node);
	file->fh = (uintptr_t)listing;
	fuse_reply_open(request, file);
}

/* Whole entries only: the offset of each is where the next one begins. */
static void on_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *file)
{
	const struct listing *listing = (const struct listing *)(uintptr_t)file->fh;
	size_t end = offset;
	(void)number;
	while (end < listing->length) {
		/* The head of an entry is two numbers of 64 bits and two of 32, of which the first is the length of the name. */
		uint32_t length;
		memcpy(&length, listing->data + end + 16, sizeof length);
		size_t next = end + (24 + length + 7) / 8 * 8;
		if (next - offset > size)
			break;
		end = next;
	}
	fuse_reply_buf(request, listing->data + offset, end - offset);
}

static void on_releasedir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file)
{
	struct listing *listing = (struct listing *)(uintptr_t)file->fh;
	(void)number;
	free(listing->data);
	free(listing);
	fuse_reply_err(request, 0);
}

static void on_statfs(fuse_req_t request, fuse_ino_t number)
{
	struct statvfs all = {.f_bsize = 4096, .f_frsize = 4096, .f_namemax = 255};
	(void)number;
	all.f_blocks = all.f_bfree = all.f_bavail = 1 << 20;
	all.f_files = all.f_ffree = all.f_favail = 1 << 20;
	fuse_reply_statfs(request, &all);
}

static const struct fuse_lowlevel_ops answers = {
	.init = on_init,
	.lookup = on_lookup,
	.getattr = on_getattr,
	.setattr = on_setattr,
	.readlink = on_readlink,
	.mknod = on_mknod,
	.mkdir = on_mkdir,
	.unlink = on_unlink,
	.rmdir = on_unlink,
	.symlink = on_symlink,
	.rename = on_rename,
	.link = on_link,
	.create = on_create,
	.open = on_open,
	.read = on_read,
	.write = on_write,
	.fsync = on_fsync,
	.opendir = on_opendir,
	.readdir = on_readdir,
	.releasedir = on_releasedir,
	.fsyncdir = on_fsync,
	.statfs = on_statfs,
};

static void mount_here(void)
{
	char *words[] = {"forgetting-fs", "-ofsname=forgetting,default_permissions"};
	struct fuse_args args = FUSE_ARGS_INIT(2, words);
	session = fuse_session_new(&args, &answers, sizeof answers, NULL);
	if (session == NULL || fuse_session_mount(session, mountpoint) != 0)
		exit(1);
	fuse_opt_free_args(&args);
}

static void unmount_here(void)
{
	fuse_session_unmount(session);
	fuse_session_destroy(session);
}

/* ---- commands ---- */

static void obey(char *line)
{
	char *word = strtok(line, " ");
	char *first = strtok(NULL, " ");
	uint64_t number = first == NULL ? 0 : strtoull(first, NULL, 10);
	if (word == NULL)
		return;
	if (strcmp(word, "cut") == 0) {
		cut(number);
		return;
	}
	if (strcmp(word, "save") == 0) {
		char *name = strtok(NULL, " ");
		char *path = strtok(NULL, "");
		save(number, name == NULL ? "" : name, path == NULL ? "" : path);
		return;
	}
	if (strcmp(word, "arm") == 0)
		is_armed = number > 0, calls_left = number;
	else if (strcmp(word, "on") == 0)
		is_off = is_armed = false;
	else if (strcmp(word, "settle") == 0)
		settle();
	else if (strcmp(word, "count") != 0)
		printf("{\"error\":\"no such command\"}\n");
	printf("{\"calls\":%" PRIu64 ",\"pending\":%zu}\n", calls, step_count);
	fflush(stdout);
}

/* False at the end of the commands. */
static bool read_commands(void)
{
	static char line[4096];
	static size_t length;
	ssize_t count = read(STDIN_FILENO, line + length, sizeof line - 1 - length);
	if (count <= 0)
		return false;
	length += count;
	for (char *end; (end = memchr(line, '\n', length)) != NULL;) {
		size_t used = end + 1 - line;
		*end = '\0';
		obey(line);
		memmove(line, line + used, length - used);
		length -= used;
	}
	return length < sizeof line - 1;
}

/* False when somebody else unmounted it. */
static bool answer_one_call(struct fuse_buf *buffer)
{
	int count = fuse_session_receive_buf(session, buffer);
	if (count > 0)
		fuse_session_process_buf(session, buffer);
	return count > 0 || count == -EINTR || count == -EAGAIN;
}

int main(int count, char **words)
{
	if (count != 3) {
		fprintf(stderr, "forgetting-fs MOUNTPOINT strict|ordered|device\n");
		return 64;
	}
	mountpoint = words[1];
	model = strcmp(words[2], "strict") == 0 ? STRICT : strcmp(words[2], "ordered") == 0 ? ORDERED : DEVICE;
	/* Who is interrupted closes standard input, and only then is it unmounted. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	/* The numbers 0 and 1 are those that FUSE gives to nothing and to the root. */
	make_node(0, 0, 0);
	make_node(S_IFDIR | 0700, getuid(), getgid());
	mount_here();
	printf("{\"mounted\":true}\n");
	fflush(stdout);
	struct fuse_buf buffer = {0};
	for (;;) {
		struct pollfd ready[] = {{STDIN_FILENO, POLLIN, 0}, {fuse_session_fd(session), POLLIN, 0}};
		if (poll(ready, is_off ? 1 : 2, -1) < 0 && errno != EINTR)
			break;
		if (ready[0].revents != 0) {
			if (!read_commands())
				break;
			continue;
		}
		if (!is_off && ready[1].revents != 0 && !answer_one_call(&buffer))
			break;
	}
	unmount_here();
	return 0;
}
