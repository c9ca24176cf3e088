/* Reads values that fit a template as checkpoint_template.py does, without an object for each token. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at;
    Py_ssize_t length;
} Span;

typedef struct {
    Py_ssize_t token; /* -1: a constant */
    Span constant;
} Offset;

typedef struct {
    PyObject_HEAD
    PyObject *references; /* what the spans below point into */
    PyObject *last_value; /* the last one that fit; the spans of last_tokens point into it */
    PyObject *constant_time;
    Py_ssize_t pieces, offsets;
    Span *piece, *tokens, *last_tokens;
    Offset *offset;
    char *is_state, *is_compared; /* per token */
    Py_ssize_t id_token, time_token; /* -1: none */
    Py_ssize_t last_state;           /* -1: no token has a checkpoint id and an offset */
} Reader;

static int to_span(PyObject *bytes, Span *span) {
    char *start;
    if (PyBytes_AsStringAndSize(bytes, &start, &span->length) < 0) return -1;
    span->at = start;
    return 0;
}

/* PLAIN in checkpoint_template.py: what offsets that are stored as they are consist of. */
static int is_plain(char byte) {
    return byte >= ' ' && byte <= '~' && byte != '"' && byte != ',' && byte != ':' && byte != '\\' && byte != '{' &&
           byte != '}';
}

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
    if (!starts_with(at, end, self->piece[0])) return 0;
    at += self->piece[0].length;
    for (Py_ssize_t n = 1; n < self->pieces; n++) {
        Span piece = self->piece[n];
        const char *found = piece.length == 0 ? NULL : memchr(at, piece.at[0], (size_t)(end - at));
        if (found == NULL || found == at || !starts_with(found, end, piece)) return 0;
        self->tokens[n - 1] = (Span){at, found - at};
        at = found + piece.length;
    }
    return at == end;
}

/* Takes the checkpoint id off the tokens of V1's changelogs; 0 where they do not agree on one. */
static int take_id(Reader *self, Span *id) {
    id->at = NULL;
    for (Py_ssize_t n = 0; n <= self->last_state; n++) {
        if (!self->is_state[n]) continue;
        Span *token = &self->tokens[n];
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
        if (!self->is_compared[n]) continue;
        Span new = self->tokens[n], last = self->last_tokens[n];
        int is_lower = new.length == last.length ? memcmp(new.at, last.at, (size_t)new.length) < 0
                                                 : new.length < last.length || new.at[0] == '0';
        if (is_lower) return 1;
    }
    return 0;
}

/* Exchanges the tokens for the last ones, which stay valid as long as their value. */
static void remember(Reader *self, PyObject *value) {
    Span *last = self->last_tokens;
    self->last_tokens = self->tokens;
    self->tokens = last;
    PyObject *old = self->last_value;
    self->last_value = Py_NewRef(value);
    Py_XDECREF(old);
}

static const char EMPTY_CHANGELOG[] = "\x1e";

/* An offset as it is stored. V1 writes null for an empty changelog. */
static Span offset_at(const Reader *self, const Span *tokens, Py_ssize_t n) {
    Py_ssize_t token = self->offset[n].token;
    if (token < 0) return self->offset[n].constant;
    Span offset = tokens[token];
    int is_null = self->is_state[token] && offset.length == 4 && memcmp(offset.at, "null", 4) == 0;
    return is_null ? (Span){EMPTY_CHANGELOG, 1} : offset;
}

/* Bytes of all offsets with their separators. Sets all_digits, and plain to 0 if a token has to be read with care. */
static Py_ssize_t measure(const Reader *self, const Span *tokens, int *all_digits, int *plain) {
    Py_ssize_t length = 0;
    *all_digits = *plain = 1;
    for (Py_ssize_t n = 0; n < self->offsets; n++) {
        Span offset = offset_at(self, tokens, n);
        int is_token = self->offset[n].token >= 0 && offset.at != EMPTY_CHANGELOG;
        for (Py_ssize_t i = 0; i < offset.length; i++) {
            if (is_digit(offset.at[i])) continue;
            *all_digits = 0;
            if (is_token && !is_plain(offset.at[i])) *plain = 0;
        }
        length += offset.length;
    }
    if (length == 0) *all_digits = 0;
    return length + (self->offsets > 0 ? self->offsets - 1 : 0);
}

/* The offsets with U+001F between them. */
static PyObject *join(const Reader *self, const Span *tokens, Py_ssize_t length) {
    PyObject *joined = PyBytes_FromStringAndSize(NULL, length);
    if (joined == NULL) return NULL;
    char *at = PyBytes_AsString(joined);
    for (Py_ssize_t n = 0; n < self->offsets; n++) {
        Span offset = offset_at(self, tokens, n);
        if (n > 0) *at++ = '\x1f';
        memcpy(at, offset.at, (size_t)offset.length);
        at += offset.length;
    }
    return joined;
}

static PyObject *bytes_or_none(Span span) {
    return span.at == NULL ? Py_NewRef(Py_None) : PyBytes_FromStringAndSize(span.at, span.length);
}

static PyObject *time_of(const Reader *self, const Span *tokens) {
    if (self->time_token < 0) return Py_NewRef(self->constant_time);
    Span time = tokens[self->time_token];
    long long number = 0;
    for (Py_ssize_t i = 0; i < time.length; i++) number = 10 * number + (time.at[i] - '0');
    return PyLong_FromLongLong(number);
}

/* A value that fits, taken apart; its spans are valid until the next value is read. */
typedef struct {
    Span id;
    Py_ssize_t length; /* of the joined offsets */
    int is_plain, is_lower;
} Parts;

/* Takes a value apart; 0 if it does not fit. */
static int take_apart(Reader *self, Span value, Parts *parts) {
    parts->id = (Span){NULL, 0};
    if (!find_tokens(self, value)) return 0;
    if (self->id_token >= 0) parts->id = self->tokens[self->id_token];
    else if (self->last_state >= 0 && !take_id(self, &parts->id)) return 0;
    if (parts->id.at != NULL && !is_id(parts->id)) return 0;
    if (self->time_token >= 0) {
        Span time = self->tokens[self->time_token];
        if (number_length(time) != time.length) return 0;
    }
    int all_digits;
    parts->length = measure(self, self->tokens, &all_digits, &parts->is_plain);
    parts->is_lower = !all_digits || may_be_lower(self);
    return 1;
}

/* The result for a value that was taken apart: it becomes the last one. */
static PyObject *keep(Reader *self, PyObject *value, const Parts *parts) {
    const Span *tokens = self->tokens;
    remember(self, value);
    if (!parts->is_plain) Py_RETURN_NONE;
    PyObject *result = NULL, *offsets = join(self, tokens, parts->length), *id = bytes_or_none(parts->id);
    PyObject *time = time_of(self, tokens);
    if (offsets != NULL && id != NULL && time != NULL)
        result = PyTuple_Pack(4, offsets, id, time, parts->is_lower ? Py_True : Py_False);
    Py_XDECREF(offsets);
    Py_XDECREF(id);
    Py_XDECREF(time);
    return result;
}

static PyObject *read_value(Reader *self, PyObject *value) {
    Span text;
    Parts parts;
    if (to_span(value, &text) < 0) return NULL;
    if (!take_apart(self, text, &parts)) Py_RETURN_NONE;
    return keep(self, value, &parts);
}

static PyObject *read_higher(Reader *self, PyObject *value) {
    Span text;
    Parts parts;
    if (to_span(value, &text) < 0) return NULL;
    if (!take_apart(self, text, &parts) || parts.is_lower) Py_RETURN_NONE;
    return keep(self, value, &parts);
}

static void dealloc(Reader *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Py_XDECREF(self->references);
    Py_XDECREF(self->last_value);
    Py_XDECREF(self->constant_time);
    free(self->piece);
    free(self->tokens);
    free(self->last_tokens);
    free(self->offset);
    free(self->is_state);
    free(self->is_compared);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* A number of a token, or -1 for None where that is allowed; -2 with an error if there is no such token. */
static Py_ssize_t token_number(const Reader *self, PyObject *number, int optional) {
    if (optional && number == Py_None) return -1;
    Py_ssize_t token = PyLong_AsSsize_t(number);
    if (token == -1 && PyErr_Occurred()) return -2;
    if (token >= 0 && token < self->pieces - 1) return token;
    PyErr_SetString(PyExc_ValueError, "there is no token with this number");
    return -2;
}

static int mark(const Reader *self, PyObject *numbers, char *marks, Py_ssize_t *last) {
    for (Py_ssize_t n = 0; n < PyTuple_Size(numbers); n++) {
        Py_ssize_t token = token_number(self, PyTuple_GetItem(numbers, n), 0);
        if (token < 0) return -1;
        marks[token] = 1;
        if (token > *last) *last = token;
    }
    return 0;
}

static int take_pieces(Reader *self, PyObject *pieces) {
    for (Py_ssize_t n = 0; n < self->pieces; n++)
        if (to_span(PyTuple_GetItem(pieces, n), &self->piece[n]) < 0) return -1;
    return 0;
}

static int take_values(Reader *self, PyObject *values) {
    for (Py_ssize_t n = 0; n < self->offsets; n++) {
        PyObject *value = PyTuple_GetItem(values, n);
        Offset *offset = &self->offset[n];
        offset->token = -1;
        if (PyBytes_Check(value)) {
            if (to_span(value, &offset->constant) < 0) return -1;
        } else if ((offset->token = token_number(self, value, 0)) < 0) {
            return -1;
        }
    }
    return 0;
}

static int allocate(Reader *self) {
    size_t pieces = (size_t)self->pieces, offsets = (size_t)self->offsets + 1;
    self->piece = calloc(pieces, sizeof(Span));
    self->tokens = calloc(pieces, sizeof(Span));
    self->last_tokens = calloc(pieces, sizeof(Span));
    self->offset = calloc(offsets, sizeof(Offset));
    self->is_state = calloc(pieces, 1);
    self->is_compared = calloc(pieces, 1);
    int has_spans = self->piece && self->tokens && self->last_tokens;
    if (has_spans && self->offset && self->is_state && self->is_compared) return 0;
    PyErr_NoMemory();
    return -1;
}

static PyObject *new_reader(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords)) {
    PyObject *pieces, *values, *state, *compared, *id_token, *time_token, *constant_time;
    if (!PyArg_ParseTuple(args, "O!O!O!O!OOO", &PyTuple_Type, &pieces, &PyTuple_Type, &values, &PyTuple_Type, &state,
                          &PyTuple_Type, &compared, &id_token, &time_token, &constant_time))
        return NULL;
    if (PyTuple_Size(pieces) == 0) return PyErr_Format(PyExc_ValueError, "a template has at least one piece");
    Reader *self = (Reader *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL) return NULL;
    Py_ssize_t last_compared = -1;
    self->pieces = PyTuple_Size(pieces);
    self->offsets = PyTuple_Size(values);
    self->last_state = -1;
    self->constant_time = Py_NewRef(constant_time);
    self->references = PyTuple_Pack(2, pieces, values);
    if (self->references == NULL || allocate(self) < 0 ||
        take_pieces(self, pieces) < 0 || take_values(self, values) < 0 ||
        mark(self, state, self->is_state, &self->last_state) < 0 ||
        mark(self, compared, self->is_compared, &last_compared) < 0 ||
        (self->id_token = token_number(self, id_token, 1)) < -1 ||
        (self->time_token = token_number(self, time_token, 1)) < -1) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyMethodDef methods[] = {
    {"read", (PyCFunction)read_value, METH_O,
     "Return offsets, checkpoint id, time and whether one may be lower; None if it does not fit."},
    {"read_higher", (PyCFunction)read_higher, METH_O,
     "As read, but None if an offset may be lower; read then still compares the value with the last one."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_new, new_reader}, {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods},
    {Py_tp_doc, "Reader(pieces, values, state, compared, id_token, time_token, constant_time)"}, {0, NULL}};

static PyType_Spec spec = {
    "projections.fold._checkpoint_template.Reader", sizeof(Reader), 0, Py_TPFLAGS_DEFAULT, slots};

static int fill(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    if (type == NULL) return -1;
    int result = PyModule_AddObjectRef(module, "Reader", type);
    Py_DECREF(type);
    return result;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, fill}, {0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_checkpoint_template", "The compiled part of checkpoint_template.", 0, NULL,
    module_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__checkpoint_template(void) { return PyModuleDef_Init(&module); }
