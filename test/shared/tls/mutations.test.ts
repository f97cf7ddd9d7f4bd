import { test } from 'vitest'
import { mutateAll } from './mutations.ts'

test('changed messages and records are refused with an alert within 20 ms and are never a fault: 1,000 of each kind', () => {
  mutateAll(1_000)
})
