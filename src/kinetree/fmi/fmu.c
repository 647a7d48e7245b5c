/*
 * The functions of FMI 2.0 for a model whose state is (q, qd): model exchange, and co-simulation by the classical method
 * of Runge and Kutta. model.h has the model; this file is the same for all of them. Nothing but the instance is
 * allocated, and instances share nothing.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

typedef void *Component;
typedef void *Environment;
typedef unsigned int Reference;
typedef int Boolean;
typedef const char *String;
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef enum { MODEL_EXCHANGE, CO_SIMULATION } Kind;

typedef struct {
    void (*logger)(Environment, String, Status, String, String, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(Environment, Status);
    Environment environment;
} Callbacks;

typedef struct {
    Boolean new_states_needed, terminate, nominals_changed, values_changed, next_event_defined;
    double next_event;
} EventInfo;

/* what fmi2GetFMUstate copies */
typedef struct {
    double time, r[COUNT];
    int fresh; /* whether rates and forces are those of the state */
} State;

typedef struct {
    State now;
    const Callbacks *callbacks;
    char *name;
} Instance;

#define STATES (DQ - Q)

static Status complain(Instance *m, String message)
{
    if (m->callbacks && m->callbacks->logger)
        m->callbacks->logger(m->callbacks->environment, m->name, ERROR, "logStatusError", "%s", message);
    return ERROR;
}

static Status judge(Instance *m, double margin)
{
    int k;
    if (HAS_LOOPS && !(margin > SINGULAR))
        return complain(m, "the closed chain is at a singular configuration of its independent joints");
    for (k = 0; k < DQ + STATES; ++k)
        if (!isfinite(m->now.r[k]))
            return complain(m, "a state or its rate is not a finite number");
    return OK;
}

static Status evaluate(Instance *m)
{
    Status status = OK;
    if (!m->now.fresh) {
        status = judge(m, model_rates(m->now.time, m->now.r));
        m->now.fresh = status == OK;
    }
    return status;
}

static void start(Instance *m)
{
    memcpy(m->now.r, starts, sizeof starts);
    m->now.time = 0.0;
    m->now.fresh = 0;
}

/* -- common functions -------------------------------------------------------------------------------------------- */

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT Status fmi2SetDebugLogging(Component c, Boolean on, size_t n, const String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return OK;
}

EXPORT Component fmi2Instantiate(String name, Kind kind, String guid, String resources, const Callbacks *callbacks,
                                 Boolean visible, Boolean logging)
{
    Instance *m;
    const size_t length = name ? strlen(name) : 0;
    (void)kind, (void)resources, (void)visible, (void)logging;
    if (!guid || strcmp(guid, GUID) != 0) {
        if (callbacks && callbacks->logger)
            callbacks->logger(callbacks->environment, name ? name : "", ERROR, "logStatusError",
                              "the guid is not that of this unit");
        return NULL;
    }
    m = (Instance *)calloc(1, sizeof *m);
    if (m)
        m->name = (char *)calloc(length + 1, 1);
    if (!m || !m->name) {
        free(m);
        return NULL;
    }
    memcpy(m->name, name ? name : "", length);
    m->callbacks = callbacks;
    start(m);
    return m;
}

EXPORT void fmi2FreeInstance(Component c)
{
    if (c) {
        free(((Instance *)c)->name);
        free(c);
    }
}

EXPORT Status fmi2SetupExperiment(Component c, Boolean has_tolerance, double tolerance, double begin, Boolean has_end,
                                  double end)
{
    (void)has_tolerance, (void)tolerance, (void)has_end, (void)end;
    ((Instance *)c)->now.time = begin;
    ((Instance *)c)->now.fresh = 0;
    return OK;
}

EXPORT Status fmi2EnterInitializationMode(Component c)
{
    (void)c;
    return OK;
}

EXPORT Status fmi2ExitInitializationMode(Component c)
{
    Instance *m = (Instance *)c;
    int k;
    for (k = 0; HAS_LOOPS && k < 20; ++k) /* each one is a step of Newton's method on the loops */
        model_step(m->now.time, 0.0, m->now.r);
    m->now.fresh = 0;
    return evaluate(m);
}

EXPORT Status fmi2Terminate(Component c)
{
    (void)c;
    return OK;
}

EXPORT Status fmi2Reset(Component c)
{
    start((Instance *)c);
    return OK;
}

/* -- values -------------------------------------------------------------------------------------------------------- */

EXPORT Status fmi2GetReal(Component c, const Reference vr[], size_t n, double values[])
{
    Instance *m = (Instance *)c;
    Status status = OK;
    size_t k;
    for (k = 0; k < n; ++k) {
        if (vr[k] >= COUNT)
            return complain(m, "there is no such value reference");
        if (vr[k] >= DQ && vr[k] < P && status == OK)
            status = evaluate(m);
        values[k] = m->now.r[vr[k]];
    }
    return status;
}

EXPORT Status fmi2SetReal(Component c, const Reference vr[], size_t n, const double values[])
{
    Instance *m = (Instance *)c;
    size_t k;
    for (k = 0; k < n; ++k) {
        const int computed = (vr[k] >= DQ && vr[k] < F) || (!HAS_INPUTS && vr[k] >= F && vr[k] < P);
        if (vr[k] >= COUNT || computed)
            return complain(m, "a value that does not exist or is computed can't be set");
        if (vr[k] == STEP && !(values[k] > 0.0))
            return complain(m, "the step of integration must be above zero");
        m->now.r[vr[k]] = values[k];
    }
    m->now.fresh = 0;
    return OK;
}

#define NONE(kind, type)                                                                        \
    EXPORT Status fmi2Get##kind(Component c, const Reference vr[], size_t n, type values[])     \
    {                                                                                           \
        (void)vr, (void)values;                                                                 \
        return n ? complain((Instance *)c, "this unit has numbers of type Real alone") : OK;    \
    }                                                                                           \
    EXPORT Status fmi2Set##kind(Component c, const Reference vr[], size_t n, const type values[]) \
    {                                                                                           \
        (void)vr, (void)values;                                                                 \
        return n ? complain((Instance *)c, "this unit has numbers of type Real alone") : OK;    \
    }

NONE(Integer, int)
NONE(Boolean, Boolean)
NONE(String, String)

EXPORT Status fmi2GetDirectionalDerivative(Component c, const Reference unknown[], size_t n, const Reference known[],
                                           size_t m_known, const double dknown[], double dunknown[])
{
    Instance *m = (Instance *)c;
    double d[COUNT] = {0}, s[COUNT] = {0};
    size_t k;
    for (k = 0; k < m_known; ++k) {
        if (known[k] >= COUNT)
            return complain(m, "there is no such value reference");
        d[known[k]] = dknown[k];
    }
    model_slopes(m->now.time, m->now.r, d, s);
    memcpy(s + Q, d + Q, STATES * sizeof *s);
    for (k = 0; k < n; ++k) {
        if (unknown[k] >= COUNT)
            return complain(m, "there is no such value reference");
        dunknown[k] = s[unknown[k]];
    }
    return OK;
}

/* -- the state as a whole ------------------------------------------------------------------------------------------ */

EXPORT Status fmi2GetFMUstate(Component c, void **state)
{
    Instance *m = (Instance *)c;
    if (!*state)
        *state = malloc(sizeof(State));
    if (!*state)
        return complain(m, "there is no memory for the state");
    memcpy(*state, &m->now, sizeof(State));
    return OK;
}

EXPORT Status fmi2SetFMUstate(Component c, void *state)
{
    memcpy(&((Instance *)c)->now, state, sizeof(State));
    return OK;
}

EXPORT Status fmi2FreeFMUstate(Component c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}

EXPORT Status fmi2SerializedFMUstateSize(Component c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(State);
    return OK;
}

EXPORT Status fmi2SerializeFMUstate(Component c, void *state, char bytes[], size_t size)
{
    if (size < sizeof(State))
        return complain((Instance *)c, "the state needs more bytes");
    memcpy(bytes, state, sizeof(State));
    return OK;
}

EXPORT Status fmi2DeSerializeFMUstate(Component c, const char bytes[], size_t size, void **state)
{
    if (size != sizeof(State))
        return complain((Instance *)c, "these bytes are not a state of this unit");
    if (!*state)
        *state = malloc(sizeof(State));
    if (!*state)
        return complain((Instance *)c, "there is no memory for the state");
    memcpy(*state, bytes, sizeof(State));
    return OK;
}

/* -- model exchange ------------------------------------------------------------------------------------------------ */

EXPORT Status fmi2EnterEventMode(Component c)
{
    (void)c;
    return OK;
}

EXPORT Status fmi2NewDiscreteStates(Component c, EventInfo *info)
{
    (void)c;
    memset(info, 0, sizeof *info);
    return OK;
}

EXPORT Status fmi2EnterContinuousTimeMode(Component c)
{
    (void)c;
    return OK;
}

EXPORT Status fmi2CompletedIntegratorStep(Component c, Boolean no_set, Boolean *event_mode, Boolean *terminate)
{
    (void)c, (void)no_set;
    *event_mode = *terminate = 0;
    return OK;
}

EXPORT Status fmi2SetTime(Component c, double time)
{
    ((Instance *)c)->now.time = time;
    ((Instance *)c)->now.fresh = 0;
    return OK;
}

EXPORT Status fmi2SetContinuousStates(Component c, const double x[], size_t n)
{
    Instance *m = (Instance *)c;
    if (n != STATES)
        return complain(m, "that is not the number of continuous states");
    memcpy(m->now.r + Q, x, n * sizeof *x);
    m->now.fresh = 0;
    return OK;
}

EXPORT Status fmi2GetContinuousStates(Component c, double x[], size_t n)
{
    Instance *m = (Instance *)c;
    if (n != STATES)
        return complain(m, "that is not the number of continuous states");
    memcpy(x, m->now.r + Q, n * sizeof *x);
    return OK;
}

EXPORT Status fmi2GetDerivatives(Component c, double dx[], size_t n)
{
    Instance *m = (Instance *)c;
    const Status status = evaluate(m);
    if (n != STATES)
        return complain(m, "that is not the number of continuous states");
    memcpy(dx, m->now.r + DQ, n * sizeof *dx);
    return status;
}

EXPORT Status fmi2GetEventIndicators(Component c, double values[], size_t n)
{
    (void)values;
    return n ? complain((Instance *)c, "this unit has no event indicators") : OK;
}

EXPORT Status fmi2GetNominalsOfContinuousStates(Component c, double x[], size_t n)
{
    size_t k;
    (void)c;
    for (k = 0; k < n; ++k)
        x[k] = 1.0;
    return OK;
}

/* -- co-simulation --------------------------------------------------------------------------------------------------- */

EXPORT Status fmi2DoStep(Component c, double time, double step, Boolean no_set, Boolean *unused)
{
    Instance *m = (Instance *)c;
    double count, h, margin = 1.0;
    long k;
    (void)no_set, (void)unused;
    if (!(step > 0.0) || !isfinite(step) || step / m->now.r[STEP] > 1e9)
        return complain(m, "a communication step must be above zero, and less than 1e9 steps of integration");
    count = ceil(step / m->now.r[STEP] * (1.0 - 1e-12));
    h = step / count;
    for (k = 0; k < (long)count; ++k) {
        const double now = model_step(time + (double)k * h, h, m->now.r);
        margin = now < margin || now != now ? now : margin;
    }
    m->now.time = time + step;
    m->now.fresh = 0;
    return HAS_LOOPS && !(margin > SINGULAR) ? judge(m, margin) : evaluate(m);
}

EXPORT Status fmi2CancelStep(Component c) { return complain((Instance *)c, "steps can't be cancelled"); }

EXPORT Status fmi2SetRealInputDerivatives(Component c, const Reference vr[], size_t n, const int order[],
                                          const double values[])
{
    (void)vr, (void)order, (void)values;
    return n ? complain((Instance *)c, "inputs are held during a step") : OK;
}

EXPORT Status fmi2GetRealOutputDerivatives(Component c, const Reference vr[], size_t n, const int order[],
                                           double values[])
{
    (void)vr, (void)order, (void)values;
    return n ? complain((Instance *)c, "derivatives of outputs are variables of their own") : OK;
}

#define NO_STATUS(kind, type)                                          \
    EXPORT Status fmi2Get##kind##Status(Component c, int what, type *value) \
    {                                                                  \
        (void)c, (void)what, (void)value;                              \
        return DISCARD;                                                \
    }

EXPORT Status fmi2GetStatus(Component c, int what, Status *value)
{
    (void)c, (void)what, (void)value;
    return DISCARD;
}
NO_STATUS(Real, double)
NO_STATUS(Integer, int)
NO_STATUS(Boolean, Boolean)
NO_STATUS(String, String)
