/* Reads ordinary checkpoints of a task as CheckpointBatch._read_each does.
 *
 * It stops at the first event that may be anything else: a delete, other names, an offset that may be lower, a
 * checkpoint that may be unread, a key in quarantine. What these mean is written in Python only.
 *
 * Entries and lists change only when an event is known to be ordinary, so any other can still be read in Python. The
 * list of events never does: it keeps what is borrowed from it.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

#include "../../eventlog/_named_tuple.h"

#define FIVE_MINUTES 300000000LL
#define MS_FROM_1970_TO_2000 946684800000LL
#define FIRST_STORABLE_MS -210866803200000LL
#define LAST_STORABLE_MS 9224318015999999LL

/* Names of attributes. */
static PyObject *key_id_name, *is_quarantined_name, *layout_id_name, *newest_name, *read_higher_name, *template_name,
    *version_name, *author_name;

/* What the events of a call have in common. */
typedef struct {
    PyObject *newest_times, *log_id, *row_type, *envelope_type, *last_rows, *rows, *unnumbered, *envelopes;
} Batch;

/* What an event is about; all but the first four are owned. */
typedef struct {
    PyObject *offset, *record_time, *value, *entry;
    PyObject *template, *key_id, *layout_id, *author, *read; /* read: offsets, checkpoint id, ms, is_lower */
    long version;
    int is_numbered; /* the layout's number is not a provisional one */
} Event;

static void release(Event *event) {
    Py_XDECREF(event->template);
    Py_XDECREF(event->key_id);
    Py_XDECREF(event->layout_id);
    Py_XDECREF(event->author);
    Py_XDECREF(event->read);
}

/* A number of 64 bits; 0 if it is not one. */
static int to_number(PyObject *value, int64_t *number) {
    int is_beyond;
    if (!PyLong_Check(value)) return 0;
    *number = PyLong_AsLongLongAndOverflow(value, &is_beyond); /* faster than PyLong_AsLongLong */
    return !is_beyond;
}

/* Whether readers of the other version may miss a checkpoint with this time: more than five minutes after theirs. */
static int may_be_unread(PyObject *other_time, int64_t record_time) {
    int64_t other;
    if (other_time == Py_None) return 0;
    if (!to_number(other_time, &other)) return 1;
    return other != INT64_MIN && record_time != 0 && other < record_time - FIVE_MINUTES;
}

static int has_number(PyObject *object, PyObject *name, long *number) {
    PyObject *value = PyObject_GetAttr(object, name);
    if (value == NULL) return 0;
    *number = PyLong_AsLong(value);
    Py_DECREF(value);
    return *number != -1 || !PyErr_Occurred();
}

/* Whether the key is not in quarantine and has a template. */
static int takes_template(Event *event) {
    PyObject *is_quarantined = PyObject_GetAttr(event->entry, is_quarantined_name);
    if (is_quarantined == NULL) return 0;
    Py_DECREF(is_quarantined);
    if (is_quarantined != Py_False) return 0;
    event->template = PyObject_GetAttr(event->entry, template_name);
    if (event->template == NULL || event->template == Py_None) return 0;
    int64_t layout_id;
    event->layout_id = PyObject_GetAttr(event->template, layout_id_name);
    if (event->layout_id == NULL || !to_number(event->layout_id, &layout_id)) return 0;
    event->is_numbered = layout_id >= 0;
    return 1;
}

static int reads_value(Event *event) {
    PyObject *read_higher = PyObject_GetAttr(event->template, read_higher_name);
    if (read_higher == NULL) return 0;
    if (read_higher != Py_None) event->read = PyObject_CallFunctionObjArgs(read_higher, event->value, NULL);
    Py_DECREF(read_higher);
    return event->read != NULL && event->read != Py_None;
}

/* Reads an event; 0 if it is not ordinary, or after an error. */
static int read_event(const Batch *batch, PyObject *tuple, Event *event) {
    int64_t record_time;
    event->offset = PyTuple_GetItem(tuple, 0);
    event->record_time = PyTuple_GetItem(tuple, 1);
    event->value = PyTuple_GetItem(tuple, 2);
    event->entry = PyTuple_GetItem(tuple, 3);
    if (event->entry == NULL || event->value == Py_None || !to_number(event->record_time, &record_time)) return 0;
    if (!has_number(event->entry, version_name, &event->version)) return 0;
    PyObject *other_time = PyList_GetItem(batch->newest_times, 3 - event->version);
    if (other_time == NULL || may_be_unread(other_time, record_time) || !takes_template(event)) return 0;
    if ((event->author = PyObject_GetAttr(event->template, author_name)) == NULL) return 0;
    if ((event->key_id = PyObject_GetAttr(event->entry, key_id_name)) == NULL) return 0;
    return reads_value(event);
}

/* A named tuple of borrowed values. */
static PyObject *new_row(PyObject *type, PyObject *const *values, Py_ssize_t length) {
    PyObject *row = begin_named_tuple((PyTypeObject *)type, length);
    if (row == NULL) return NULL;
    for (Py_ssize_t at = 0; at < length; at++)
        if (!set_field(row, at, Py_NewRef(values[at]))) {
            Py_DECREF(row);
            return NULL;
        }
    return end_named_tuple((PyTypeObject *)type, row);
}

/* The row is the newest of its key, and its time that of its version. */
static int store_row(const Batch *batch, const Event *event, PyObject *row) {
    if (PyList_Append(event->is_numbered ? batch->rows : batch->unnumbered, row) < 0) return -1;
    if (PyObject_SetAttr(event->entry, newest_name, row) < 0) return -1;
    if (PyDict_SetItem(batch->last_rows, event->key_id, row) < 0) return -1;
    return PyList_SetItem(batch->newest_times, event->version, Py_NewRef(event->record_time));
}

static int add_row(const Batch *batch, const Event *event) {
    PyObject *offsets = PyTuple_GetItem(event->read, 0), *checkpoint_id = PyTuple_GetItem(event->read, 1);
    PyObject *other_time = PyList_GetItem(batch->newest_times, 3 - event->version);
    PyObject *values[] = {event->offset,    event->record_time, batch->log_id, event->key_id, event->layout_id,
                          checkpoint_id, offsets,            Py_None,       other_time};
    PyObject *row = new_row(batch->row_type, values, 9);
    if (row == NULL) return -1;
    int result = store_row(batch, event, row);
    Py_DECREF(row);
    return result;
}

/* The time of an envelope in microseconds since 2000; None if timestamptz cannot hold it. */
static PyObject *storable_micros(PyObject *ms) {
    int64_t number;
    if (!to_number(ms, &number) || number < FIRST_STORABLE_MS || number > LAST_STORABLE_MS) Py_RETURN_NONE;
    return PyLong_FromLongLong((number - MS_FROM_1970_TO_2000) * 1000);
}

static int add_envelope(const Batch *batch, const Event *event) {
    if (event->author == Py_None) return 0;
    PyObject *time = storable_micros(PyTuple_GetItem(event->read, 2));
    if (time == NULL) return -1;
    PyObject *author = event->author;
    PyObject *values[] = {event->offset,              time,
                          batch->log_id,              PyTuple_GetItem(author, 0),
                          PyTuple_GetItem(author, 1), PyTuple_GetItem(author, 2)};
    PyObject *row = PyErr_Occurred() ? NULL : new_row(batch->envelope_type, values, 6);
    int result = row == NULL ? -1 : PyList_Append(batch->envelopes, row);
    Py_DECREF(time);
    Py_XDECREF(row);
    return result;
}

/* Loads the next event and its value while this one is read: they were made in the order of the log, far apart. */
static void prefetch(PyObject *events, Py_ssize_t at) {
    Py_ssize_t length = PyList_Size(events);
    if (at + 2 < length) __builtin_prefetch(PyList_GetItem(events, at + 2));
    if (at + 1 >= length) return;
    PyObject *next = PyList_GetItem(events, at + 1);
    for (Py_ssize_t field = 0; field < 2; field++) __builtin_prefetch(PyTuple_GetItem(next, field));
    const char *value = (const char *)PyTuple_GetItem(next, 2);
    for (int line = 0; value != NULL && line < 5; line++) __builtin_prefetch(value + 64 * line);
}

PyDoc_STRVAR(read_ordinary_doc,
"read_ordinary(events, first, newest_times, log_id, row_type, envelope_type, last_rows, rows, unnumbered,\n"
"envelopes)\n\n"
"Read events from the first on. Return the number of the one that is not ordinary, or of events.");

static PyObject *read_ordinary(PyObject *Py_UNUSED(module), PyObject *args) {
    Batch batch;
    PyObject *events;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "O!nO!OO!O!O!O!O!O!", &PyList_Type, &events, &at, &PyList_Type, &batch.newest_times,
                          &batch.log_id, &PyType_Type, &batch.row_type, &PyType_Type, &batch.envelope_type,
                          &PyDict_Type, &batch.last_rows, &PyList_Type, &batch.rows, &PyList_Type, &batch.unnumbered,
                          &PyList_Type, &batch.envelopes))
        return NULL;
    for (int is_ordinary = 1; at < PyList_Size(events); at++) {
        Event event = {.template = NULL};
        prefetch(events, at);
        is_ordinary = read_event(&batch, PyList_GetItem(events, at), &event);
        if (is_ordinary && (add_envelope(&batch, &event) < 0 || add_row(&batch, &event) < 0)) is_ordinary = 0;
        release(&event);
        if (!is_ordinary) break;
    }
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(at);
}

static PyMethodDef functions[] = {
    {"read_ordinary", read_ordinary, METH_VARARGS, read_ordinary_doc}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_checkpoint_batch", "The compiled part of checkpoint_batch.", 0, functions,
    NULL, NULL, NULL, NULL};

static int intern(PyObject **name, const char *text) {
    *name = PyUnicode_InternFromString(text);
    return *name != NULL;
}

PyMODINIT_FUNC PyInit__checkpoint_batch(void) {
    if (intern(&key_id_name, "key_id") && intern(&is_quarantined_name, "is_quarantined") &&
        intern(&layout_id_name, "layout_id") && intern(&newest_name, "newest") && intern(&template_name, "template") &&
        intern(&read_higher_name, "read_higher") && intern(&version_name, "version") && intern(&author_name, "author"))
        return PyModuleDef_Init(&module);
    return NULL;
}
