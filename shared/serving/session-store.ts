import * as z from 'zod'
import { expiring, type SweepRow } from '../store/due.ts'
import { entity } from '../store/entity.ts'
import { object } from '../base/lazy-fields.ts'
import { SESSION_DUE, SESSION_KIND, type StoredSession } from './session-rows.ts'

/** Reads served: a session by id, for the sweeper. Data planes write the items. */
const sessions = entity<StoredSession, object>({
  name: SESSION_KIND,
  schema: object(() => ({ id: z.string(), sealed: z.string(), endsAt: z.string() })),
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ endsAt }) => ({ what: SESSION_DUE, at: endsAt }),
})

export const SESSION_SWEEPS: readonly SweepRow[] = [expiring(SESSION_DUE, sessions)]
