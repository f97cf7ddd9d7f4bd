import { test } from 'vitest'
import { assertMutations } from './hostile.ts'

test('30,000 changes of evidence prove nothing else', () => assertMutations(30_000), 1_800_000)
