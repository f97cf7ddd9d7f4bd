import { AGGREGATES } from './aggregates.ts'
import { ARRAYS } from './arrays.ts'
import type { Builtin } from './builtin.ts'
import { DEFERRED } from './deferred-groups.ts'
import { ENCODING } from './encoding.ts'
import { GLOBS } from './globs.ts'
import { GRAPHS } from './graph.ts'
import { HASHES } from './hashes.ts'
import { METADATA } from './metadata.ts'
import { NETWORKS } from './networks.ts'
import { NOTES } from './notes.ts'
import { NUMBERS } from './numbers.ts'
import { OBJECTS } from './objects.ts'
import { OPERATORS } from './operators.ts'
import { SETS } from './sets.ts'
import { STRINGS } from './strings.ts'
import { TIMES } from './times.ts'
import { TYPES_AND_CASTS } from './types.ts'
import { UNIT_ROWS } from './units.ts'
import { VERSIONS } from './versions.ts'

/** Every built-in, by name: the rows of all groups. A call of any other name is refused during compilation. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>(
  [
    ...OPERATORS,
    ...STRINGS,
    ...TYPES_AND_CASTS,
    ...AGGREGATES,
    ...ARRAYS,
    ...SETS,
    ...OBJECTS,
    ...NUMBERS,
    ...GLOBS,
    ...TIMES,
    ...ENCODING,
    ...HASHES,
    ...NETWORKS,
    ...VERSIONS,
    ...UNIT_ROWS,
    ...GRAPHS,
    ...NOTES,
    ...METADATA,
    ...DEFERRED,
  ].map((builtin) => [builtin.name, builtin]),
)
