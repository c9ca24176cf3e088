/* Decodes lines that are spelled as encode_line in recording_line.py writes most records; all others are left to it. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <string.h>

#include "../_named_tuple.h"

typedef struct {
    const char *at, *end;
} Text;

/* Takes a text that must come next; 0 if something else does. */
static int take(Text *line, const char *expected) {
    size_t length = strlen(expected);
    if ((size_t)(line->end - line->at) < length || memcmp(line->at, expected, length) != 0) return 0;
    line->at += length;
    return 1;
}

/* The most digits of a number that always fits: into 64 bits, as offsets and times, and into 32, as epochs. */
enum { DIGITS_OF_64_BITS = 18, DIGITS_OF_32_BITS = 9 };

/* A number without zeros before it. One of more digits is refused later: what follows in a line is never a digit. */
static int take_number(Text *line, int most_digits, long long *number) {
    const char *start = line->at;
    *number = 0;
    while (line->at < line->end && *line->at >= '0' && *line->at <= '9' && line->at - start < most_digits)
        *number = 10 * *number + (*line->at++ - '0');
    Py_ssize_t length = line->at - start;
    return length >= 1 && (length == 1 || *start != '0');
}

static int is_name(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '.' || byte == '_' || byte == '-';
}

static int take_name(Text *line, Text *name) {
    name->at = line->at;
    while (line->at < line->end && is_name(*line->at)) line->at++;
    name->end = line->at;
    return name->end > name->at;
}

/* The six bits of a character of base64, or -1. */
static int bits_of(unsigned char byte) {
    if (byte >= 'A' && byte <= 'Z') return byte - 'A';
    if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26;
    if (byte >= '0' && byte <= '9') return byte - '0' + 52;
    return byte == '+' ? 62 : byte == '/' ? 63 : -1;
}

static signed char bits[256];

/* Decodes base64 with its padding; NULL without an error if it is invalid. */
static PyObject *decode_base64(Text text) {
    Py_ssize_t length = text.end - text.at, padding = 0;
    if (length % 4 != 0) return NULL;
    while (padding < 2 && padding < length && text.end[-1 - padding] == '=') padding++;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, length / 4 * 3 - padding);
    if (bytes == NULL) return NULL;
    char *to = PyBytes_AsString(bytes);
    for (const char *at = text.at; at < text.end; at += 4) {
        Py_ssize_t unused = at + 4 == text.end ? padding : 0;
        long group = 0;
        for (Py_ssize_t n = 0; n < 4; n++) {
            int six = n < 4 - unused ? bits[(unsigned char)at[n]] : 0;
            if (six < 0) {
                Py_DECREF(bytes);
                return NULL;
            }
            group = group << 6 | six;
        }
        for (Py_ssize_t n = 0; n < 3 - unused; n++) *to++ = (char)(group >> (16 - 8 * n));
    }
    return bytes;
}

/* A key or value; NULL if it is neither null nor valid base64. */
static PyObject *take_bytes(Text *line) {
    if (take(line, "null")) return Py_NewRef(Py_None);
    if (!take(line, "\"")) return NULL;
    const char *quote = memchr(line->at, '"', (size_t)(line->end - line->at));
    if (quote == NULL) return NULL;
    Text text = {line->at, quote};
    line->at = quote + 1;
    return decode_base64(text);
}

typedef struct {
    Text topic;
    long long offset, timestamp, leader_epoch;
    int timestamp_type, has_epoch;
    PyObject *key, *value;
} Record;

/* Takes all of a line; 0 if it is spelled in another way, or after an error. */
static int take_record(Text *line, Record *record) {
    if (!take(line, "{\"topic\":\"") || !take_name(line, &record->topic)) return 0;
    if (!take(line, "\",\"partition\":0,\"offset\":")) return 0;
    if (!take_number(line, DIGITS_OF_64_BITS, &record->offset)) return 0;
    if (!take(line, ",\"timestamp\":") || !take_number(line, DIGITS_OF_64_BITS, &record->timestamp)) return 0;
    if (!take(line, ",\"timestamp_type\":\"")) return 0;
    record->timestamp_type = take(line, "CreateTime") ? 0 : take(line, "LogAppendTime") ? 1 : -1;
    if (record->timestamp_type < 0) return 0;
    if (!take(line, "\",\"key_b64\":") || (record->key = take_bytes(line)) == NULL) return 0;
    if (!take(line, ",\"value_b64\":") || (record->value = take_bytes(line)) == NULL) return 0;
    if (!take(line, ",\"headers\":[]")) return 0;
    record->has_epoch = take(line, ",\"leader_epoch\":");
    if (record->has_epoch && !take_number(line, DIGITS_OF_32_BITS, &record->leader_epoch)) return 0;
    return take(line, "}\n") && line->at == line->end;
}

static PyObject *event_of(const Record *record, PyTypeObject *event_type) {
    PyObject *event = begin_named_tuple(event_type, 7);
    if (event == NULL) return NULL;
    if (set_field(event, 0, PyLong_FromLongLong(record->offset)) &&
        set_field(event, 1, PyLong_FromLongLong(record->timestamp)) &&
        set_field(event, 2, PyLong_FromLong(record->timestamp_type)) && set_field(event, 3, Py_NewRef(record->key)) &&
        set_field(event, 4, Py_NewRef(record->value)) && set_field(event, 5, PyTuple_New(0)) &&
        set_field(event, 6, record->has_epoch ? PyLong_FromLongLong(record->leader_epoch) : Py_NewRef(Py_None)))
        return end_named_tuple(event_type, event);
    Py_DECREF(event);
    return NULL;
}

PyDoc_STRVAR(decode_doc,
"decode(line, event_type)\n\n"
"Return topic and event of a line; None if it is spelled in another way, or invalid.");

static PyObject *decode(PyObject *Py_UNUSED(module), PyObject *args) {
    const char *start;
    Py_ssize_t length;
    PyTypeObject *event_type;
    if (!PyArg_ParseTuple(args, "y#O!", &start, &length, &PyType_Type, &event_type)) return NULL;
    if (!PyType_IsSubtype(event_type, &PyTuple_Type)) return PyErr_Format(PyExc_TypeError, "events must be tuples");
    Text line = {start, start + length};
    Record record = {.key = NULL, .value = NULL};
    PyObject *result = NULL, *event = NULL, *topic = NULL;
    if (take_record(&line, &record)) {
        event = event_of(&record, event_type);
        topic = PyUnicode_FromStringAndSize(record.topic.at, record.topic.end - record.topic.at);
        if (event != NULL && topic != NULL) result = PyTuple_Pack(2, topic, event);
    } else if (!PyErr_Occurred()) {
        result = Py_NewRef(Py_None);
    }
    Py_XDECREF(record.key);
    Py_XDECREF(record.value);
    Py_XDECREF(event);
    Py_XDECREF(topic);
    return result;
}

static PyMethodDef functions[] = {{"decode", decode, METH_VARARGS, decode_doc}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_recording_line", "The compiled part of recording_line.", 0, functions,
    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__recording_line(void) {
    for (int byte = 0; byte < 256; byte++) bits[byte] = (signed char)bits_of((unsigned char)byte);
    return PyModuleDef_Init(&module);
}
