/* Decodes the records of a batch as record_batch.py does: same arguments, same events, same errors.
 *
 * The bytes come from a broker. Every length is compared with what is left of them before it is used.
 *
 * Records with the same key mostly share one object: it is made and hashed once, and stays in the processor's cache.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#include "../_named_tuple.h"

typedef struct {
    const unsigned char *at, *end;
} Bytes;

static int damaged(void) {
    PyErr_SetString(PyExc_IndexError, "the records end early");
    return -1;
}

/* A zigzag-encoded varint of at most 64 bits. */
static int read_varint(Bytes *data, int64_t *result) {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (data->at == data->end) return damaged();
        unsigned char byte = *data->at++;
        if (shift == 63 && byte > 1) return damaged();
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *result = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
            return 0;
        }
    }
    return damaged();
}

/* The length of a key or value and its first byte; NULL for a length below 0, which stands for null. */
static int read_span(Bytes *data, const char **start, Py_ssize_t *length) {
    int64_t size;
    if (read_varint(data, &size) < 0) return -1;
    *start = NULL;
    *length = 0;
    if (size < 0) return 0;
    if (size > data->end - data->at) return damaged();
    *start = (const char *)data->at;
    *length = (Py_ssize_t)size;
    data->at += size;
    return 0;
}

static PyObject *read_bytes(Bytes *data) {
    const char *start;
    Py_ssize_t length;
    if (read_span(data, &start, &length) < 0) return NULL;
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

static PyObject *read_key(Bytes *data) {
    const char *start;
    Py_ssize_t length;
    if (read_span(data, &start, &length) < 0) return NULL;
    if (start == NULL) return Py_NewRef(Py_None);
    if (length > LONGEST_KEPT_KEY) return PyBytes_FromStringAndSize(start, length);
    PyObject **kept = &kept_keys[slot_of(start, length)];
    if (*kept != NULL && PyBytes_Size(*kept) == length && memcmp(PyBytes_AsString(*kept), start, (size_t)length) == 0)
        return Py_NewRef(*kept);
    PyObject *key = PyBytes_FromStringAndSize(start, length), *former = *kept;
    if (key == NULL) return NULL;
    *kept = Py_NewRef(key);
    Py_XDECREF(former);
    return key;
}

static PyObject *read_header(Bytes *data) {
    const char *start;
    Py_ssize_t length;
    if (read_span(data, &start, &length) < 0) return NULL;
    PyObject *name = PyUnicode_DecodeUTF8(start == NULL ? "" : start, length, "surrogateescape");
    if (name == NULL) return NULL;
    PyObject *value = read_bytes(data);
    if (value == NULL) {
        Py_DECREF(name);
        return NULL;
    }
    PyObject *header = PyTuple_Pack(2, name, value);
    Py_DECREF(name);
    Py_DECREF(value);
    return header;
}

static PyObject *read_headers(Bytes *data) {
    int64_t count;
    if (read_varint(data, &count) < 0) return NULL;
    if (count <= 0) return PyTuple_New(0);
    PyObject *headers = PyList_New(0);
    if (headers == NULL) return NULL;
    for (int64_t n = 0; n < count; n++) {
        PyObject *header = read_header(data);
        if (header == NULL || PyList_Append(headers, header) < 0) {
            Py_XDECREF(header);
            Py_DECREF(headers);
            return NULL;
        }
        Py_DECREF(header);
    }
    PyObject *result = PyList_AsTuple(headers);
    Py_DECREF(headers);
    return result;
}

/* What the records of a batch have in common. */
typedef struct {
    int64_t base_offset, first_timestamp;
    PyObject *append_time, *leader_epoch, *timestamp_type;
    PyTypeObject *event_type;
} Facts;

static PyObject *offset_of(const Facts *facts, int64_t delta) {
    int64_t offset;
    if (__builtin_add_overflow(facts->base_offset, delta, &offset)) {
        damaged();
        return NULL;
    }
    return PyLong_FromLongLong(offset);
}

/* The sum of a time that the producer gave begins again below if it is above 64 bits. */
static PyObject *time_of(const Facts *facts, int64_t delta) {
    if (facts->append_time != Py_None) return Py_NewRef(facts->append_time);
    return PyLong_FromLongLong((int64_t)((uint64_t)facts->first_timestamp + (uint64_t)delta));
}

static PyObject *read_event(Bytes *data, const Facts *facts) {
    int64_t length, time_delta, offset_delta;
    if (read_varint(data, &length) < 0) return NULL;
    const unsigned char *start = data->at;
    if (length < 1 || length > data->end - start) {
        damaged();
        return NULL;
    }
    data->at++; /* attributes, which are unused */
    if (read_varint(data, &time_delta) < 0 || read_varint(data, &offset_delta) < 0) return NULL;
    PyObject *event = begin_named_tuple(facts->event_type, 7);
    if (event == NULL) return NULL;
    int complete = set_field(event, 0, offset_of(facts, offset_delta)) &&
                   set_field(event, 1, time_of(facts, time_delta)) &&
                   set_field(event, 2, Py_NewRef(facts->timestamp_type)) && set_field(event, 3, read_key(data)) &&
                   set_field(event, 4, read_bytes(data)) && set_field(event, 5, read_headers(data)) &&
                   set_field(event, 6, Py_NewRef(facts->leader_epoch));
    if (complete && data->at == start + length) return end_named_tuple(facts->event_type, event);
    if (complete) damaged();
    Py_DECREF(event);
    return NULL;
}

PyDoc_STRVAR(decode_doc,
"decode(data, base_offset, first_timestamp, append_time, leader_epoch, records, timestamp_type, event_type)\n\n"
"Return the events. IndexError: the lengths of the records do not match the bytes.");

static PyObject *decode(PyObject *Py_UNUSED(module), PyObject *args) {
    Facts facts;
    Bytes data;
    const char *start;
    Py_ssize_t length, records;
    if (!PyArg_ParseTuple(args, "y#LLOOnOO!", &start, &length, &facts.base_offset, &facts.first_timestamp,
                          &facts.append_time, &facts.leader_epoch, &records, &facts.timestamp_type, &PyType_Type,
                          &facts.event_type))
        return NULL;
    if (!PyType_IsSubtype(facts.event_type, &PyTuple_Type))
        return PyErr_Format(PyExc_TypeError, "events must be tuples");
    data.at = (const unsigned char *)start;
    data.end = data.at + length;
    PyObject *events = PyList_New(0);
    if (events == NULL) return NULL;
    for (Py_ssize_t n = 0; n < records; n++) {
        PyObject *event = read_event(&data, &facts);
        if (event == NULL || PyList_Append(events, event) < 0) {
            Py_XDECREF(event);
            Py_DECREF(events);
            return NULL;
        }
        Py_DECREF(event);
    }
    if (data.at == data.end) return events;
    damaged();
    Py_DECREF(events);
    return NULL;
}

static PyMethodDef functions[] = {{"decode", decode, METH_VARARGS, decode_doc}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_record_batch", "The compiled part of record_batch.", 0, functions,
    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__record_batch(void) { return PyModuleDef_Init(&module); }
