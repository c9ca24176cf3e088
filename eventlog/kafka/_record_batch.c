/* Decodes the records of a batch as record_batch.py does, if all are ordinary: complete, and without headers.
 *
 * The bytes come from a broker. Every length is compared with what is left of them before it is used.
 *
 * Records with the same key mostly share one object: it is made and hashed once, and stays in the processor's cache.
 * The last keys are kept as long as the process, in less than 2 MB.
 */

#include "../_compiled.h"
#include <stdint.h>
#include <string.h>

typedef struct { const unsigned char *at, *end; } Bytes;

/* A zigzag-encoded varint of at most 64 bits; 0 if there is none. */
static int take_varint(Bytes *data, int64_t *result) {
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && data->at < data->end; shift += 7) {
        unsigned char byte = *data->at++;
        if (shift == 63 && byte > 1) return 0;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *result = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
            return 1;
        }
    }
    return 0;
}

/* The first byte and the length of a key or value; NULL for a length below 0, which stands for null. */
static int take_span(Bytes *data, const char **start, Py_ssize_t *length) {
    int64_t size;
    if (!take_varint(data, &size) || size > data->end - data->at) return 0;
    *start = size < 0 ? NULL : (const char *)data->at;
    *length = size < 0 ? 0 : (Py_ssize_t)size;
    data->at += *length;
    return 1;
}

static PyObject *bytes_or_none(const char *start, Py_ssize_t length) {
    return start == NULL ? Py_NewRef(Py_None) : PyBytes_FromStringAndSize(start, length);
}

/* Keys that were read before, by the number of `slot_of`. */
enum { SLOTS = 4096, LONGEST_KEPT_KEY = 256 };
static PyObject *kept_keys[SLOTS];

/* A number for a key (FNV-1a). */
static unsigned slot_of(const char *start, Py_ssize_t length) {
    uint32_t hash = 2166136261u;
    for (Py_ssize_t at = 0; at < length; at++) hash = (hash ^ (unsigned char)start[at]) * 16777619u;
    return (hash ^ hash >> 16) % SLOTS;
}

static PyObject *key_of(const char *start, Py_ssize_t length) {
    if (start == NULL || length > LONGEST_KEPT_KEY) return bytes_or_none(start, length);
    PyObject **kept = &kept_keys[slot_of(start, length)];
    if (*kept != NULL && PyBytes_Size(*kept) == length && memcmp(PyBytes_AsString(*kept), start, (size_t)length) == 0)
        return Py_NewRef(*kept);
    PyObject *key = PyBytes_FromStringAndSize(start, length), *former = *kept;
    if (key == NULL) return NULL;
    *kept = Py_NewRef(key);
    Py_XDECREF(former);
    return key;
}

/* What the records of a batch have in common. */
typedef struct {
    long long base_offset, last_delta, delta, first_timestamp;
    PyObject *append_time, *leader_epoch, *timestamp_type, *no_headers;
    PyTypeObject *event_type;
} Facts;

/* A time above 64 bits begins again below. */
static PyObject *time_of(const Facts *facts, int64_t delta) {
    if (facts->append_time != Py_None) return Py_NewRef(facts->append_time);
    return PyLong_FromLongLong((int64_t)((uint64_t)facts->first_timestamp + (uint64_t)delta));
}

/* The next event; NULL without an error if it is not ordinary. */
static PyObject *take_event(Bytes *data, Facts *facts) {
    int64_t length, time_delta, offset_delta, offset, headers;
    const char *key, *value;
    Py_ssize_t key_length, value_length;
    if (!take_varint(data, &length) || length < 1 || length > data->end - data->at) return NULL;
    const unsigned char *end = data->at + length;
    data->at++; /* attributes, which are unused */
    if (!take_varint(data, &time_delta) || !take_varint(data, &offset_delta)) return NULL;
    if (!take_span(data, &key, &key_length) || !take_span(data, &value, &value_length)) return NULL;
    if (!take_varint(data, &headers) || headers != 0 || data->at != end) return NULL;
    if (offset_delta <= facts->delta || offset_delta > facts->last_delta) return NULL;
    if (__builtin_add_overflow(facts->base_offset, facts->delta = offset_delta, &offset)) return NULL;
    PyObject *event = begin_named_tuple(facts->event_type, 7);
    if (event == NULL) return NULL;
    if (set_field(event, 0, PyLong_FromLongLong(offset)) && set_field(event, 1, time_of(facts, time_delta)) &&
        set_field(event, 2, Py_NewRef(facts->timestamp_type)) && set_field(event, 3, key_of(key, key_length)) &&
        set_field(event, 4, bytes_or_none(value, value_length)) && set_field(event, 5, Py_NewRef(facts->no_headers)) &&
        set_field(event, 6, Py_NewRef(facts->leader_epoch)))
        return end_named_tuple(facts->event_type, event);
    Py_DECREF(event);
    return NULL;
}

/* Appends all events; 0 if one of them is not ordinary, or after an error. */
static int take_events(Bytes *data, Facts *facts, Py_ssize_t records, PyObject *events) {
    for (Py_ssize_t n = 0; n < records; n++) {
        PyObject *event = take_event(data, facts);
        if (event == NULL) return 0;
        int failed = PyList_Append(events, event);
        Py_DECREF(event);
        if (failed) return 0;
    }
    return data->at == data->end;
}

/* The arguments: data, the fields of BatchFacts in record_batch.py, the type of timestamps, the class of events. */
static PyObject *decode(PyObject *Py_UNUSED(module), PyObject *args) {
    Facts facts = {.delta = -1};
    PyObject *bytes;
    Py_ssize_t records;
    if (!PyArg_ParseTuple(args, "O!LLLOOnOO!", &PyBytes_Type, &bytes, &facts.base_offset, &facts.last_delta,
                          &facts.first_timestamp, &facts.append_time, &facts.leader_epoch, &records,
                          &facts.timestamp_type, &PyType_Type, &facts.event_type) ||
        !is_tuple_type(facts.event_type) || (facts.no_headers = PyTuple_New(0)) == NULL)
        return NULL;
    const unsigned char *start = (const unsigned char *)PyBytes_AsString(bytes);
    Bytes data = {start, start + PyBytes_Size(bytes)};
    PyObject *events = PyList_New(0);
    if (events != NULL && !take_events(&data, &facts, records, events)) {
        Py_DECREF(events);
        events = PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    Py_DECREF(facts.no_headers);
    return events;
}

static PyMethodDef functions[] = {
    {"decode", decode, METH_VARARGS, "Return the events; None if one of them is not ordinary."}, {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_source}, {0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_record_batch", "The compiled part of record_batch.", 0,
                                    functions, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__record_batch(void) { return PyModuleDef_Init(&module); }
