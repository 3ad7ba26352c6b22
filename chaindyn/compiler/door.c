/* A quick way in: calls a compiled program with NumPy arrays, without Python in between.
   What is not exactly as expected (a list, a batch, another type, a number that is not finite, an argument by name) goes
   to the fallback, which knows what to do or what to say. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <structmember.h>

#define MOST 16
typedef long long Whole;
typedef Whole (*Program)(const Whole *, const Whole *, const double *, const double *, const double *const *, double *const *, double *);

typedef struct {
  PyObject_HEAD
  vectorcallfunc call;
  Program program;
  const Whole *lengths, *tree;
  const double *data, *common;
  double *work, *expected;
  int inputs, outputs, several;
  int in_axes[MOST], out_axes[MOST];
  npy_intp in_shape[MOST][4], out_shape[MOST][6];
  PyObject *fallback;
} Door;

/* Where the numbers of an argument lie, NULL if it is not one state of finite doubles of this shape. */
static const double *numbers(PyObject *x, int axes, const npy_intp *shape) {
  if (!PyArray_CheckExact(x)) return NULL;
  PyArrayObject *array = (PyArrayObject *)x;
  if (PyArray_TYPE(array) != NPY_DOUBLE || PyArray_NDIM(array) != axes || !PyArray_ISCARRAY_RO(array)) return NULL;
  npy_intp size = 1;
  for (int a = 0; a < axes; a++) {
    if (PyArray_DIM(array, a) != shape[a]) return NULL;
    size *= shape[a];
  }
  const double *entries = PyArray_DATA(array);
  double sum = 0.0;
  for (npy_intp j = 0; j < size; j++) sum += entries[j] - entries[j];
  return sum == 0.0 ? entries : NULL;
}

static PyObject *door_call(PyObject *self, PyObject *const *args, size_t flag, PyObject *names) {
  Door *door = (Door *)self;
  const double *in[MOST];
  double *out[MOST + 1];
  PyObject *results[MOST];
  int ready = PyVectorcall_NARGS(flag) == door->inputs && (!names || !PyTuple_GET_SIZE(names));
  for (int a = 0; ready && a < door->inputs; a++)
    ready = (in[a] = numbers(args[a], door->in_axes[a], door->in_shape[a])) != NULL;
  if (!ready) return PyObject_Vectorcall(door->fallback, args, flag, names);
  for (int r = 0; r < door->outputs; r++) {
    results[r] = PyArray_SimpleNew(door->out_axes[r], door->out_shape[r], NPY_DOUBLE);
    if (!results[r]) {
      while (r--) Py_DECREF(results[r]);
      return NULL;
    }
    out[r] = PyArray_DATA((PyArrayObject *)results[r]);
  }
  out[door->outputs] = door->expected;
  if (!door->program(door->lengths, door->tree, door->data, door->common, in, out, door->work)) {
    for (int r = 0; r < door->outputs; r++) Py_DECREF(results[r]);
    return PyObject_Vectorcall(door->fallback, args, flag, names);
  }
  for (int r = 0; r < door->outputs; r++) results[r] = PyArray_Return((PyArrayObject *)results[r]);
  if (!door->several) return results[0];
  PyObject *whole = PyTuple_New(door->outputs);
  for (int r = 0; r < door->outputs; r++) {
    if (whole) PyTuple_SET_ITEM(whole, r, results[r]);
    else Py_DECREF(results[r]);
  }
  return whole;
}

static PyObject *door_get(PyObject *self, PyObject *name) {
  return PyObject_GetAttr(((Door *)self)->fallback, name);
}

static PyObject *door_repr(PyObject *self) { return PyObject_Repr(((Door *)self)->fallback); }

static int door_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(((Door *)self)->fallback);
  return 0;
}

static int door_clear(PyObject *self) {
  Py_CLEAR(((Door *)self)->fallback);
  return 0;
}

static void door_free(PyObject *self) {
  PyObject_GC_UnTrack(self);
  door_clear(self);
  Py_TYPE(self)->tp_free(self);
}

static PyTypeObject DoorType = {
  PyVarObject_HEAD_INIT(NULL, 0).tp_name = "chaindyn.Compiled",
  .tp_basicsize = sizeof(Door),
  .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
  .tp_vectorcall_offset = offsetof(Door, call),
  .tp_call = PyVectorcall_Call,
  .tp_getattro = door_get,
  .tp_repr = door_repr,
  .tp_traverse = door_traverse,
  .tp_clear = door_clear,
  .tp_dealloc = door_free,
};

static int read_shapes(PyObject *shapes, int most, int axes_most, int *axes, npy_intp *sizes) {
  Py_ssize_t count = PyTuple_GET_SIZE(shapes);
  if (count > most) return -1;
  for (Py_ssize_t k = 0; k < count; k++) {
    PyObject *shape = PyTuple_GET_ITEM(shapes, k);
    axes[k] = (int)PyTuple_GET_SIZE(shape);
    if (axes[k] > axes_most) return -1;
    for (int a = 0; a < axes[k]; a++) sizes[k * axes_most + a] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, a));
  }
  return (int)count;
}

/* make(program, lengths, tree, data, common, work, expected: addresses; input shapes, output shapes, several, fallback) */
static PyObject *make(PyObject *module, PyObject *args) {
  unsigned long long program, lengths, tree, data, common, work, expected;
  PyObject *inputs, *outputs, *fallback;
  int several;
  if (!PyArg_ParseTuple(args, "KKKKKKKO!O!pO", &program, &lengths, &tree, &data, &common, &work, &expected, &PyTuple_Type,
                        &inputs, &PyTuple_Type, &outputs, &several, &fallback))
    return NULL;
  Door *door = PyObject_GC_New(Door, &DoorType);
  if (!door) return NULL;
  door->call = door_call;
  door->program = (Program)(uintptr_t)program;
  door->lengths = (const Whole *)(uintptr_t)lengths;
  door->tree = (const Whole *)(uintptr_t)tree;
  door->data = (const double *)(uintptr_t)data;
  door->common = (const double *)(uintptr_t)common;
  door->work = (double *)(uintptr_t)work;
  door->expected = (double *)(uintptr_t)expected;
  door->several = several;
  door->fallback = NULL;
  door->inputs = read_shapes(inputs, MOST, 4, door->in_axes, &door->in_shape[0][0]);
  door->outputs = read_shapes(outputs, MOST, 6, door->out_axes, &door->out_shape[0][0]);
  PyObject_GC_Track(door);
  if (door->inputs < 0 || door->outputs < 0) {
    Py_DECREF(door);
    PyErr_SetString(PyExc_ValueError, "too many arrays, or arrays of too many axes");
    return NULL;
  }
  Py_INCREF(fallback);
  door->fallback = fallback;
  return (PyObject *)door;
}

static PyMethodDef methods[] = {{"make", make, METH_VARARGS, "Return a quick way into a program."}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_door", NULL, -1, methods};

PyMODINIT_FUNC PyInit__door(void) {
  import_array();
  if (PyType_Ready(&DoorType) < 0) return NULL;
  return PyModule_Create(&module);
}
