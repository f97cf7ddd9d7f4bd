import type { Connection } from '../../connections/row.ts'
import { Pill } from '../../words/states.tsx'

/** The result of the last test of a connection. */
export function StateOfTest({
  connection: { last_connection_ok: isOk },
}: {
  readonly connection: Pick<Connection, 'last_connection_ok'>
}) {
  if (isOk === undefined) return <Pill tone="quiet">Not tested</Pill>
  return isOk ? <Pill tone="good">Connected</Pill> : <Pill tone="bad">Failed</Pill>
}
