// The clock of user-mode Linux (LD_PRELOAD): time stands while there is something to do and jumps
// to the next timer when there is not, so that nothing depends on how busy the machine is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static const int64_t SECOND = 1000000000;

// Each look at the clock takes some time, or who waits for it without sleeping waits for ever.
static const int64_t LOOK = 100; // ns

static const int64_t YEAR_2026 = 1767225600; // s

// Processor time without a sleep after which the next timer expires none the less: as the kernel
// boots it measures how often it can do something from one tick to the next.
static const int64_t BUSY = 10000; // us

static int64_t now = 1000000000; // ns
static int64_t due = -1;         // ns; negative if the timer is off
static int64_t period = 0;       // ns; 0 if the timer expires once
static int has_slept;

static int64_t read_time(const struct timespec *from)
{
    return from->tv_sec * SECOND + from->tv_nsec;
}

static struct timespec written(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND};
}

static void expire(void)
{
    due = period > 0 ? due + period : -1;
    raise(SIGALRM);
}

static void on_busy(int signal)
{
    (void)signal;
    if (!has_slept && due >= 0) {
        now = due > now ? due : now;
        expire();
    }
    has_slept = 0;
}

int clock_gettime(clockid_t clock, struct timespec *to)
{
    now += LOOK;
    *to = written(clock == CLOCK_REALTIME ? YEAR_2026 * SECOND + now : now);
    if (due >= 0 && now >= due)
        expire();
    return 0;
}

int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    (void)clock;
    (void)event;
    *timer = (timer_t)1;
    const struct sigaction action = {.sa_handler = on_busy, .sa_flags = SA_RESTART | SA_ONSTACK};
    const struct itimerval often = {.it_interval.tv_usec = BUSY, .it_value.tv_usec = BUSY};
    sigaction(SIGVTALRM, &action, 0);
    setitimer(ITIMER_VIRTUAL, &often, 0);
    return 0;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *to, struct itimerspec *old)
{
    (void)timer;
    (void)old;
    const int64_t value = read_time(&to->it_value);
    const int64_t base = flags & TIMER_ABSTIME ? 0 : now;
    due = value > 0 ? base + value : -1;
    period = read_time(&to->it_interval);
    return 0;
}

int timer_gettime(timer_t timer, struct itimerspec *to)
{
    (void)timer;
    const int64_t left = due > now ? due - now : 1;
    to->it_value = written(due < 0 ? 0 : left);
    to->it_interval = written(period);
    return 0;
}

int sigsuspend(const sigset_t *mask)
{
    static int (*wait)(const sigset_t *);
    if (!wait)
        wait = (int (*)(const sigset_t *))dlsym(RTLD_NEXT, "sigsuspend");
    if (due >= 0) {
        now = due > now ? due : now;
        has_slept = 1;
        expire(); // it is blocked until the wait begins
    }
    return wait(mask);
}
