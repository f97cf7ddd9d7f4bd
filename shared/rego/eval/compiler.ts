import type { Functions } from '../compile/calls.ts'
import { bodyRun } from './body.ts'
import type { Compiler } from './scope.ts'
import { evaluator } from './terms.ts'

export const compilerOf = (functions: Functions): Compiler => ({ functions, term: evaluator, body: bodyRun })
