/* Encodes rows for COPY in Postgres' binary format: per field its length in four bytes, then its bytes. */

#include "../_compiled.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LAST_ROW_BYTES 4096 /* of most rows, so that the block of which one is the last need not grow */

typedef struct { unsigned char *bytes; size_t length, capacity; } Block;

static int reserve(Block *block, size_t more) {
    if (more <= block->capacity - block->length) return 0;
    size_t capacity = 2 * block->capacity;
    if (capacity < block->length + more) capacity = block->length + more;
    unsigned char *bytes = realloc(block->bytes, capacity);
    if (bytes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    block->bytes = bytes;
    block->capacity = capacity;
    return 0;
}

/* An integer, the highest byte first. There must be room for it. */
static void put_integer(Block *block, uint64_t number, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
        block->bytes[block->length++] = (unsigned char)(number >> shift);
}

static int put_bytes(Block *block, const char *bytes, Py_ssize_t length) {
    if (length > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a field of COPY has at most 2 GB");
        return -1;
    }
    if (reserve(block, 4 + (size_t)length) < 0) return -1;
    put_integer(block, (uint64_t)length, 4);
    memcpy(block->bytes + block->length, bytes, (size_t)length);
    block->length += (size_t)length;
    return 0;
}

static int put_number(Block *block, PyObject *value, int size) {
    int is_beyond;
    long long number = PyLong_AsLongLongAndOverflow(value, &is_beyond); /* faster than PyLong_AsLongLong */
    if (number == -1 && PyErr_Occurred()) return -1;
    long long highest = size == 8 ? INT64_MAX : size == 4 ? INT32_MAX : INT16_MAX;
    if (is_beyond || number > highest || number < -highest - 1) {
        PyErr_Format(PyExc_OverflowError, "the number is out of range for int%d", size);
        return -1;
    }
    if (reserve(block, 12) < 0) return -1;
    put_integer(block, (uint64_t)size, 4);
    put_integer(block, (uint64_t)number, size);
    return 0;
}

/* Puts a bytes object, and takes it over; NULL: making it failed. */
static int put_object(Block *block, PyObject *object) {
    char *start;
    Py_ssize_t length;
    int failed = object == NULL || PyBytes_AsStringAndSize(object, &start, &length) < 0;
    if (!failed) failed = put_bytes(block, start, length) < 0;
    Py_XDECREF(object);
    return failed ? -1 : 0;
}

static int put_text(Block *block, PyObject *text) {
    Py_ssize_t length;
    const char *start = PyUnicode_AsUTF8AndSize(text, &length);
    return start == NULL ? -1 : put_bytes(block, start, length);
}

static int put_truth(Block *block, PyObject *value) {
    int truth = PyObject_IsTrue(value);
    return truth < 0 ? -1 : put_bytes(block, truth ? "\1" : "\0", 1);
}

static int put_null(Block *block) {
    if (reserve(block, 4) < 0) return -1;
    put_integer(block, UINT32_MAX, 4);
    return 0;
}

static int put_field(Block *block, char kind, PyObject *value, PyObject *dump) {
    if (value == Py_None) return put_null(block);
    switch (kind) {
    case '2': case '4': case '8': return put_number(block, value, kind - '0');
    case '?': return put_truth(block, value);
    case 'b': return put_object(block, Py_NewRef(value));
    case 't': return put_text(block, value);
    case 'd': return put_object(block, PyObject_CallFunctionObjArgs(dump, value, NULL));
    }
    PyErr_Format(PyExc_ValueError, "unknown kind of column: %c", kind);
    return -1;
}

static int put_row(Block *block, const char *kinds, Py_ssize_t columns, PyObject *row, PyObject *dump) {
    if (!PyTuple_Check(row) || PyTuple_Size(row) != columns) {
        PyErr_Format(PyExc_ValueError, "expected a tuple of %zd values for each row", columns);
        return -1;
    }
    if (reserve(block, 2) < 0) return -1;
    put_integer(block, (uint64_t)columns, 2);
    for (Py_ssize_t at = 0; at < columns; at++)
        if (put_field(block, kinds[at], PyTuple_GetItem(row, at), dump) < 0) return -1;
    return 0;
}

/* The arguments: kinds of columns, an iterator of rows, dump, block_bytes. Kinds 2, 4 and 8 are integers of so many
 * bytes, ? is bool, b bytes, t text, and d is what dump makes bytes of. */

static PyObject *encode(PyObject *Py_UNUSED(module), PyObject *args) {
    Py_ssize_t block_bytes;
    PyObject *kinds, *rows, *dump;
    if (!PyArg_ParseTuple(args, "O!OOn", &PyBytes_Type, &kinds, &rows, &dump, &block_bytes)) return NULL;
    if (block_bytes < 0 || !PyIter_Check(rows)) return PyErr_Format(PyExc_TypeError, "expected an iterator of rows");
    size_t capacity = (size_t)block_bytes + LAST_ROW_BYTES;
    Block block = {malloc(capacity), 0, capacity};
    if (block.bytes == NULL) return PyErr_NoMemory();
    PyObject *row = NULL, *result = NULL;
    while (block.length < (size_t)block_bytes && (row = PyIter_Next(rows)) != NULL) {
        int failed = put_row(&block, PyBytes_AsString(kinds), PyBytes_Size(kinds), row, dump);
        Py_DECREF(row);
        if (failed) break;
    }
    if (!PyErr_Occurred()) result = PyBytes_FromStringAndSize((const char *)block.bytes, (Py_ssize_t)block.length);
    free(block.bytes);
    return result;
}

static PyMethodDef functions[] = {
    {"encode", encode, METH_VARARGS, "Return the next rows, until they have block_bytes; empty at the end."},
    {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_source}, {0, NULL}};
static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_copy_rows", "The compiled part of copy_rows.", 0, functions, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__copy_rows(void) { return PyModuleDef_Init(&module); }
