import { test } from 'vitest'
import { assertMutations } from './hostile.ts'

test('100,000 changes of evidence prove nothing else', () => assertMutations(100_000), 1_800_000)
