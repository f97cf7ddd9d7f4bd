import { discovery } from '../discovery/discovery.ts'
import { workRows, type JobOperationRow } from '../../work-row.ts'
import { keyRotation } from './key-rotation.ts'
import { localKeyRotation } from './local-key-rotation.ts'
import type { Operation } from './operation.ts'
import { synchronization } from './synchronization.ts'

/** Operations that do not belong to a single cloud. */
const OWN: Readonly<Record<string, Operation>> = {
  keymgr_synchronization: synchronization,
  keymgr_key_rotation: keyRotation,
  key_rotation: localKeyRotation,
  'add-containers': discovery,
}

/** The verbs of a row are imported at the first call. */
const lazyOperation = ({ description, summary, single, load }: JobOperationRow): Operation => ({
  description,
  summary,
  single: () => Promise.resolve(single),
  check: async (...args) => (await load()).check(...args),
  find: async (...args) => (await load()).find(...args),
  act: async (...args) => (await load()).act(...args),
})

/** @throws Error, a fault, for an operation that no configuration can have */
export function jobOperation(name: string): Operation {
  const own = OWN[name]
  if (own !== undefined) return own
  const row = workRows()
    .flatMap(({ jobOperations }) => jobOperations ?? [])
    .find((each) => each.name === name)
  if (row === undefined) throw new Error(`There is no job operation named ${name}`)
  return lazyOperation(row)
}
