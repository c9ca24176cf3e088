/* Reads checkpoints that fit a template as checkpoint_template.py does, without an object for each token, and the
 * ordinary ones of a task as CheckpointBatch._read_each in checkpoint_batch.py does.
 *
 * An event is not ordinary if it may be a delete, or have other names, a lower offset, a checkpoint that is not read,
 * or a key in quarantine. What these mean is written in Python only. Entries, lists and readers change only when an event
 * is known to be ordinary, so any other can still be read in Python.
 */

#include "../../eventlog/_compiled.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const char *at; Py_ssize_t length; } Span;

/* A constant piece of a value, and the token after it, of this value and of the last one that fit. */
typedef struct { Span piece, tokens[2]; char is_state, is_compared; } Part;

/* The number of a token, or -1 and a constant. */
typedef struct { Py_ssize_t token; Span constant; } Offset;

typedef struct {
    PyObject_HEAD
    PyObject *references; /* what the spans point into: the pieces, the constants */
    PyObject *last_value; /* and the last value that fit */
    PyObject *constant_time;
    Py_ssize_t pieces, offsets;
    Part *parts;
    Offset *offset;
    int now;                         /* which tokens are this value's: 0 or 1 */
    Py_ssize_t id_token, time_token; /* -1: none */
    Py_ssize_t last_state;           /* -1: no token has a checkpoint id and an offset */
} Reader;

static PyTypeObject *reader_type;

static int to_span(PyObject *bytes, Span *span) {
    char *start;
    if (PyBytes_AsStringAndSize(bytes, &start, &span->length) < 0) return -1;
    span->at = start;
    return 0;
}

static Span token_of(const Reader *self, Py_ssize_t n) { return self->parts[n].tokens[self->now]; }

static int is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/* A number of at most 18 digits, without zeros before it, at the start of a span; its length, or 0. */
static Py_ssize_t number_length(Span span) {
    Py_ssize_t length = 0;
    while (length < span.length && length <= 18 && is_digit(span.at[length])) length++;
    return length > 18 || (length > 1 && span.at[0] == '0') ? 0 : length;
}

/* A checkpoint id as CheckpointId writes it. */
static int is_id(Span span) {
    Py_ssize_t first = number_length(span);
    if (first == 0 || span.at[0] == '0' || first == span.length || span.at[first] != '-') return 0;
    Span second = {span.at + first + 1, span.length - first - 1};
    return second.length > 0 && number_length(second) == second.length;
}

static int starts_with(const char *at, const char *end, Span piece) {
    return end - at >= piece.length && memcmp(at, piece.at, (size_t)piece.length) == 0;
}

/* Finds the tokens between the pieces; 0 if the value does not fit. */
static int find_tokens(Reader *self, Span value) {
    const char *at = value.at, *end = value.at + value.length;
    if (!starts_with(at, end, self->parts[0].piece)) return 0;
    at += self->parts[0].piece.length;
    for (Py_ssize_t n = 1; n < self->pieces; n++) {
        Span piece = self->parts[n].piece;
        const char *found = piece.length == 0 ? NULL : memchr(at, piece.at[0], (size_t)(end - at));
        if (found == NULL || found == at || !starts_with(found, end, piece)) return 0;
        self->parts[n - 1].tokens[self->now] = (Span){at, found - at};
        at = found + piece.length;
    }
    return at == end;
}

/* Takes the checkpoint id off the tokens of V1's changelogs; 0 where they do not agree on one. */
static int take_id(Reader *self, Span *id) {
    for (Py_ssize_t n = 0; n <= self->last_state; n++) {
        if (!self->parts[n].is_state) continue;
        Span *token = &self->parts[n].tokens[self->now];
        const char *colon = memchr(token->at, ':', (size_t)token->length);
        if (colon == NULL || colon + 1 == token->at + token->length) return 0;
        Span own = {token->at, colon - token->at};
        if (id->at == NULL) *id = own;
        if (own.length != id->length || memcmp(own.at, id->at, (size_t)own.length) != 0) return 0;
        *token = (Span){colon + 1, token->length - own.length - 1};
    }
    return 1;
}

/* Whether an offset, all of them digits, may be lower than in the last value; also true if there was none, or with
 * zeros. Tokens of offsets are never empty. */
static int may_be_lower(const Reader *self) {
    if (self->last_value == NULL) return 1;
    for (Py_ssize_t n = 0; n < self->pieces - 1; n++) {
        if (!self->parts[n].is_compared) continue;
        Span new = token_of(self, n), last = self->parts[n].tokens[!self->now];
        if (new.length == last.length ? memcmp(new.at, last.at, (size_t)new.length) < 0
                                      : new.length < last.length || new.at[0] == '0') return 1;
    }
    return 0;
}

static const char EMPTY_CHANGELOG[] = "\x1e";

/* An offset as it is stored. V1 writes null for an empty changelog. */
static Span offset_at(const Reader *self, Py_ssize_t n) {
    Py_ssize_t token = self->offset[n].token;
    if (token < 0) return self->offset[n].constant;
    Span offset = token_of(self, token);
    int is_null = self->parts[token].is_state && offset.length == 4 && memcmp(offset.at, "null", 4) == 0;
    return is_null ? (Span){EMPTY_CHANGELOG, 1} : offset;
}

/* A value that fits, taken apart; its spans are valid until the next value is read. */
typedef struct {
    Span id;
    Py_ssize_t length; /* of the joined offsets */
    int are_numbers;   /* 0: an offset is another text, which may contain a secret */
    int is_lower;
} Taken;

static void measure(const Reader *self, Taken *taken) {
    int all_digits = 1;
    taken->length = 0;
    taken->are_numbers = 1;
    for (Py_ssize_t n = 0; n < self->offsets; n++) {
        Span offset = offset_at(self, n);
        int is_token = self->offset[n].token >= 0 && offset.at != EMPTY_CHANGELOG;
        for (Py_ssize_t i = 0; i < offset.length; i++) {
            if (is_digit(offset.at[i])) continue;
            all_digits = 0;
            if (is_token) taken->are_numbers = 0;
        }
        taken->length += offset.length;
    }
    taken->is_lower = !all_digits || taken->length == 0 || may_be_lower(self);
    if (self->offsets > 0) taken->length += self->offsets - 1;
}

/* Takes a value apart; 0 if it does not fit. */
static int take_apart(Reader *self, Span value, Taken *taken) {
    taken->id = (Span){NULL, 0};
    if (!find_tokens(self, value)) return 0;
    if (self->id_token >= 0) taken->id = token_of(self, self->id_token);
    else if (self->last_state >= 0 && !take_id(self, &taken->id)) return 0;
    if (taken->id.at != NULL && !is_id(taken->id)) return 0;
    if (self->time_token >= 0) {
        Span time = token_of(self, self->time_token);
        if (number_length(time) != time.length) return 0;
    }
    measure(self, taken);
    return 1;
}

/* The offsets with U+001F between them. */
static PyObject *joined_offsets(const Reader *self, Py_ssize_t length) {
    PyObject *joined = PyBytes_FromStringAndSize(NULL, length);
    if (joined == NULL) return NULL;
    char *at = PyBytes_AsString(joined);
    for (Py_ssize_t n = 0; n < self->offsets; n++) {
        Span offset = offset_at(self, n);
        if (n > 0) *at++ = '\x1f';
        memcpy(at, offset.at, (size_t)offset.length);
        at += offset.length;
    }
    return joined;
}

static PyObject *bytes_or_none(Span span) {
    return span.at == NULL ? Py_NewRef(Py_None) : PyBytes_FromStringAndSize(span.at, span.length);
}

static PyObject *time_of(const Reader *self) {
    if (self->time_token < 0) return Py_NewRef(self->constant_time);
    Span time = token_of(self, self->time_token);
    long long number = 0;
    for (Py_ssize_t i = 0; i < time.length; i++) number = 10 * number + (time.at[i] - '0');
    return PyLong_FromLongLong(number);
}

/* Makes the value that was taken apart the last one: its tokens stay valid as long as it. */
static void remember(Reader *self, PyObject *value) {
    PyObject *old = self->last_value;
    self->last_value = Py_NewRef(value);
    self->now = !self->now;
    Py_XDECREF(old);
}

static PyObject *read_value(PyObject *object, PyObject *value) {
    Reader *self = (Reader *)object;
    Span text;
    Taken taken;
    if (to_span(value, &text) < 0) return NULL;
    if (!take_apart(self, text, &taken)) Py_RETURN_NONE;
    PyObject *result = NULL;
    if (taken.are_numbers) {
        PyObject *offsets = joined_offsets(self, taken.length), *id = bytes_or_none(taken.id), *time = time_of(self);
        if (offsets != NULL && id != NULL && time != NULL)
            result = PyTuple_Pack(4, offsets, id, time, taken.is_lower ? Py_True : Py_False);
        Py_XDECREF(offsets);
        Py_XDECREF(id);
        Py_XDECREF(time);
    }
    remember(self, value);
    return taken.are_numbers ? result : Py_NewRef(Py_None);
}

static void dealloc(PyObject *object) {
    Reader *self = (Reader *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->references);
    Py_XDECREF(self->last_value);
    Py_XDECREF(self->constant_time);
    free(self->parts);
    free(self->offset);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* A number of a token, or -1 for None where that is allowed; -2 with an error if there is no such token. */
static Py_ssize_t token_number(const Reader *self, PyObject *number, int optional) {
    if (optional && number == Py_None) return -1;
    Py_ssize_t token = PyLong_AsSsize_t(number);
    if (token >= 0 && token < self->pieces - 1) return token;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "there is no token with this number");
    return -2;
}

static int fill_parts(Reader *self, PyObject *pieces, PyObject *values, PyObject *state) {
    for (Py_ssize_t n = 0; n < self->pieces; n++)
        if (to_span(PyTuple_GetItem(pieces, n), &self->parts[n].piece) < 0) return -1;
    for (Py_ssize_t n = 0; n < PyTuple_Size(state); n++) {
        Py_ssize_t token = token_number(self, PyTuple_GetItem(state, n), 0);
        if (token < 0) return -1;
        self->parts[token].is_state = 1;
        if (token > self->last_state) self->last_state = token;
    }
    for (Py_ssize_t n = 0; n < self->offsets; n++) {
        PyObject *value = PyTuple_GetItem(values, n);
        Offset *offset = &self->offset[n];
        offset->token = -1;
        if (PyBytes_Check(value)) {
            if (to_span(value, &offset->constant) < 0) return -1;
            continue;
        }
        if ((offset->token = token_number(self, value, 0)) < 0) return -1;
        self->parts[offset->token].is_compared = 1;
    }
    return 0;
}

static PyObject *new_reader(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords)) {
    PyObject *pieces, *values, *state, *id_token, *time_token, *constant_time;
    if (!PyArg_ParseTuple(args, "O!O!O!OOO", &PyTuple_Type, &pieces, &PyTuple_Type, &values, &PyTuple_Type, &state,
                          &id_token, &time_token, &constant_time))
        return NULL;
    if (PyTuple_Size(pieces) == 0) return PyErr_Format(PyExc_ValueError, "a template has at least one piece");
    PyObject *object = PyType_GenericAlloc(type, 0);
    if (object == NULL) return NULL;
    Reader *self = (Reader *)object;
    self->pieces = PyTuple_Size(pieces);
    self->offsets = PyTuple_Size(values);
    self->last_state = -1;
    self->constant_time = Py_NewRef(constant_time);
    self->references = PyTuple_Pack(2, pieces, values);
    self->parts = calloc((size_t)self->pieces, sizeof(Part));
    self->offset = calloc((size_t)self->offsets + 1, sizeof(Offset));
    if (self->parts == NULL || self->offset == NULL) PyErr_NoMemory();
    else if (self->references != NULL && fill_parts(self, pieces, values, state) == 0 &&
             (self->id_token = token_number(self, id_token, 1)) >= -1 &&
             (self->time_token = token_number(self, time_token, 1)) >= -1)
        return object;
    Py_DECREF(object);
    return NULL;
}

#define FIVE_MINUTES 300000000LL
#define MS_FROM_1970_TO_2000 946684800000LL
#define FIRST_STORABLE_MS -210866803200000LL
#define LAST_STORABLE_MS 9224318015999999LL

/* What the events of a call have in common. */
typedef struct {
    PyObject *newest, *newest_times, *log_id, *last_rows, *rows, *envelopes;
    PyTypeObject *row_type, *envelope_type;
} Batch;

/* What belongs to an event, all owned: its fields, attributes of its key's entry and of its template, and the rest. */
enum { OFFSET, RECORD_TIME, VALUE, ENTRY, FIELDS };
enum { KEY_ID = FIELDS, VERSION, IS_QUARANTINED, TEMPLATE, LAYOUT_ID, READER, AUTHOR, OTHER_TIME, OWNED };
static const char *const names[] = {[KEY_ID] = "key_id", "version", "is_quarantined", "template", "layout_id", "reader",
                                    "author"};
static PyObject *interned[OTHER_TIME];

static int get(PyObject **owned, PyObject *object, int name) {
    return (owned[name] = PyObject_GetAttr(object, interned[name])) != NULL;
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
    return other != INT64_MIN && (record_time < INT64_MIN + FIVE_MINUTES || other < record_time - FIVE_MINUTES);
}

/* Whether the newest row of a version is of this key and has these names, as the last value that its template has read. */
static int is_newest(const Batch *batch, int64_t version, PyObject *key_id, PyObject *layout_id) {
    PyObject *row = PyList_GetItem(batch->newest, (Py_ssize_t)version);
    return row != NULL && PyTuple_Check(row) && PyTuple_Size(row) == 10 &&
           PyObject_RichCompareBool(PyTuple_GetItem(row, 3), key_id, Py_EQ) == 1 &&
           PyObject_RichCompareBool(PyTuple_GetItem(row, 4), layout_id, Py_EQ) == 1;
}

/* Takes the value of an event apart; 0 if the event is not ordinary, or after an error. */
static int take_event(const Batch *batch, PyObject **owned, Taken *taken) {
    PyObject *value = owned[VALUE], *entry = owned[ENTRY];
    int64_t record_time, version, layout_id;
    Span text;
    if (value == Py_None || !to_number(owned[RECORD_TIME], &record_time)) return 0;
    if (!get(owned, entry, VERSION) || !to_number(owned[VERSION], &version) || version < 0 || version > 2) return 0;
    owned[OTHER_TIME] = Py_XNewRef(PyList_GetItem(batch->newest_times, 3 - (Py_ssize_t)version));
    if (owned[OTHER_TIME] == NULL || may_be_unread(owned[OTHER_TIME], record_time)) return 0;
    if (!get(owned, entry, IS_QUARANTINED) || owned[IS_QUARANTINED] != Py_False || !get(owned, entry, KEY_ID)) return 0;
    PyObject *template = get(owned, entry, TEMPLATE) ? owned[TEMPLATE] : Py_None;
    if (template == Py_None || !get(owned, template, READER) || Py_TYPE(owned[READER]) != reader_type) return 0;
    if (!get(owned, template, LAYOUT_ID) || !to_number(owned[LAYOUT_ID], &layout_id)) return 0;
    if (!is_newest(batch, version, owned[KEY_ID], owned[LAYOUT_ID])) return 0;
    if (!get(owned, template, AUTHOR) || (owned[AUTHOR] != Py_None && !PyTuple_Check(owned[AUTHOR]))) return 0;
    if (to_span(value, &text) < 0) return 0;
    return take_apart((Reader *)owned[READER], text, taken) && !taken->is_lower;
}

/* A named tuple that takes the values over. */
static PyObject *new_row(PyTypeObject *type, PyObject *const *values, Py_ssize_t length) {
    PyObject *row = begin_named_tuple(type, length);
    int is_complete = row != NULL;
    for (Py_ssize_t at = 0; at < length; at++) {
        if (is_complete) is_complete = set_field(row, at, values[at]);
        else Py_XDECREF(values[at]);
    }
    if (is_complete) return end_named_tuple(type, row);
    Py_XDECREF(row);
    return NULL;
}

static int append_row(PyObject *list, PyObject *row) {
    int failed = row == NULL || PyList_Append(list, row) < 0;
    Py_XDECREF(row);
    return failed ? -1 : 0;
}

/* The time of an envelope in microseconds since 2000; None if timestamptz cannot hold it. */
static PyObject *storable_micros(PyObject *ms) {
    int64_t number;
    if (!to_number(ms, &number) || number < FIRST_STORABLE_MS || number > LAST_STORABLE_MS) Py_RETURN_NONE;
    return PyLong_FromLongLong((number - MS_FROM_1970_TO_2000) * 1000);
}

static int add_envelope(const Batch *batch, PyObject *const *owned, const Reader *reader) {
    PyObject *author = owned[AUTHOR], *ms;
    if (author == Py_None) return 0;
    if ((ms = time_of(reader)) == NULL) return -1;
    PyObject *values[] = {Py_NewRef(owned[OFFSET]), storable_micros(ms),
                          Py_NewRef(batch->log_id), Py_XNewRef(PyTuple_GetItem(author, 0)),
                          Py_XNewRef(PyTuple_GetItem(author, 1)), Py_XNewRef(PyTuple_GetItem(author, 2))};
    Py_DECREF(ms);
    return append_row(batch->envelopes, new_row(batch->envelope_type, values, 6));
}

/* Adds the row: it is the newest of its key and version, and its time that of its version. */
static int add_row(const Batch *batch, PyObject *const *owned, const Reader *reader, const Taken *taken) {
    PyObject *values[] = {Py_NewRef(owned[OFFSET]), Py_NewRef(owned[RECORD_TIME]),
                          Py_NewRef(batch->log_id), Py_NewRef(owned[KEY_ID]), Py_NewRef(owned[LAYOUT_ID]),
                          bytes_or_none(taken->id), joined_offsets(reader, taken->length), Py_NewRef(Py_None),
                          Py_NewRef(owned[OTHER_TIME]), PyLong_FromSsize_t(PyBytes_Size(owned[VALUE]))};
    PyObject *row = new_row(batch->row_type, values, 10);
    int failed = row == NULL || PyList_SetItem(batch->newest, PyLong_AsSsize_t(owned[VERSION]), Py_NewRef(row)) < 0 ||
                 PyDict_SetItem(batch->last_rows, owned[KEY_ID], row) < 0;
    if (append_row(batch->rows, row) < 0 || failed) return -1;
    return PyList_SetItem(batch->newest_times, PyLong_AsSsize_t(owned[VERSION]), Py_NewRef(owned[RECORD_TIME]));
}

/* Reads an event; 0 if it is not ordinary, or after an error. */
static int read_event(const Batch *batch, PyObject *events, Py_ssize_t at) {
    PyObject *owned[OWNED] = {NULL};
    Taken taken;
    for (int field = 0; field < FIELDS; field++) owned[field] = Py_NewRef(PyList_GetItem(events, FIELDS * at + field));
    int is_done = take_event(batch, owned, &taken);
    if (is_done) {
        Reader *reader = (Reader *)owned[READER];
        is_done = add_envelope(batch, owned, reader) == 0 && add_row(batch, owned, reader, &taken) == 0;
        remember(reader, owned[VALUE]);
    }
    for (int at = 0; at < OWNED; at++) Py_XDECREF(owned[at]);
    return is_done;
}

/* Loads the value after this one: values were made in the order of the log, far apart. */
static void prefetch(PyObject *events, Py_ssize_t at) {
    if (FIELDS * at + VALUE >= PyList_Size(events)) return;
    const char *value = (const char *)PyList_GetItem(events, FIELDS * at + VALUE);
    for (int line = 0; line < 5; line++) __builtin_prefetch(value + 64 * line);
}

/* The arguments: a list with the fields of all events, the number of the first one to read, and what Batch has. */
static PyObject *read_ordinary(PyObject *Py_UNUSED(module), PyObject *args) {
    Batch batch;
    PyObject *events;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "O!nO!O!OO!O!O!O!O!", &PyList_Type, &events, &at, &PyList_Type, &batch.newest,
                          &PyList_Type, &batch.newest_times, &batch.log_id, &PyType_Type, &batch.row_type,
                          &PyType_Type, &batch.envelope_type, &PyDict_Type, &batch.last_rows, &PyList_Type, &batch.rows,
                          &PyList_Type, &batch.envelopes) ||
        !is_tuple_type(batch.row_type) || !is_tuple_type(batch.envelope_type))
        return NULL;
    if (at < 0 || at > PyList_Size(events)) return PyErr_Format(PyExc_ValueError, "there is no such event");
    for (; FIELDS * (at + 1) <= PyList_Size(events); at++) {
        prefetch(events, at + 1);
        if (!read_event(&batch, events, at)) break;
    }
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(at);
}

static PyMethodDef methods[] = {
    {"read", read_value, METH_O,
     "Return offsets, checkpoint id, time and whether one may be lower; None if it does not fit."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot type_slots[] = {
    {Py_tp_new, new_reader}, {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0, NULL}};

static PyType_Spec spec = {"projections.fold._checkpoints.Reader", sizeof(Reader), 0, Py_TPFLAGS_DEFAULT, type_slots};

static int fill(PyObject *module) {
    for (int name = KEY_ID; name < OTHER_TIME; name++)
        if ((interned[name] = PyUnicode_InternFromString(names[name])) == NULL) return -1;
    if ((reader_type = (PyTypeObject *)PyType_FromSpec(&spec)) == NULL) return -1;
    return add_source(module) < 0 ? -1 : PyModule_AddType(module, reader_type);
}

static PyMethodDef functions[] = {
    {"read_ordinary", read_ordinary, METH_VARARGS, "Return the number of the first event that is not ordinary."},
    {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_checkpoints", "The compiled part of checkpoint_template and checkpoint_batch.", 0,
    functions, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__checkpoints(void) { return PyModuleDef_Init(&module); }
