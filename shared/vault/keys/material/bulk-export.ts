import { alsoRecorded } from '../../../http/audit/also-recorded.ts'
import type { Context, Subject } from '../../../http/context.ts'
import { REFUSALS, Refusal } from '../../../base/errors.ts'
import { atOnce } from '../../../base/at-once.ts'
import { without } from '../../../base/fields.ts'
import { Changes, retryWhenStale, Stale } from '../../../store/changes.ts'
import type { BulkExportedKeys, BulkExportKeys } from '../bodies.ts'
import { exportKey } from './export-key.ts'
import type { LocalKeyWithMaterial } from '../model.ts'
import { naming } from '../policies/permission-groups.ts'
import type { ExportLocalKey } from './wrapping-fields.ts'

/** Size of all exported keys as JSON: a function's response is limited to 6 MB, and is JSON-escaped once more. */
const ANSWERED_BYTES = 3 * 1024 * 1024
/**
 * Ours: time budget within the 29 seconds of a request. Encryption under a password takes some tenths of a second per
 * key.
 */
const BUDGET_MS = 20_000
const AT_ONCE = 4

type Member = BulkExportedKeys[number]

/** The size and time that the keys of one request share. */
interface Left {
  bytes: number
  readonly untilMs: number
}

/**
 * Exports keys, each like a separate request, committed before the answer is built. A refused key does not stop the
 * others; its refusal appears in its place.
 * @throws Refusal UNAVAILABLE when the table fails
 */
export async function bulkExport(context: Context, body: BulkExportKeys): Promise<BulkExportedKeys> {
  const left: Left = { bytes: ANSWERED_BYTES, untilMs: performance.now() + BUDGET_MS }
  const how = without(body, 'ids')
  // Once per request: if the request's own record loses a race, no key is exported again.
  return context.once('bulk export', () => atOnce(body.ids, AT_ONCE, (id) => member(context, id, how, left)))
}

async function member(context: Context, id: string, how: ExportLocalKey, left: Left): Promise<Member> {
  try {
    return await retryWhenStale(() => exportOne(context, id, how, left))
  } catch (error) {
    const refusal = refusalOf(error)
    const { status, code, name } = REFUSALS[refusal.reason]
    return { id, error: { status, code, codeDesc: `${name}: ${refusal.message}`, detail: refusal.message } }
  }
}

/** @throws the error, unless it concerns only this key */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Stale) return new Refusal('STATE_CONFLICT', 'Others kept changing the key. Try again.')
  if (error instanceof Refusal && error.reason !== 'UNAVAILABLE') return error
  throw error
}

/** Exports one key with changes and an audit record of its own; a refusal is recorded as well. */
async function exportOne(context: Context, id: string, how: ExportLocalKey, left: Left): Promise<LocalKeyWithMaterial> {
  let changes = new Changes()
  let subject: Subject = { uri: '', name: id }
  let bytes = 0
  const about = (named: Subject): void => {
    subject = named
    context.uses('ExportKey', { ...named.record, uri: named.uri })
    context.uses('BulkExportKeys', { ...named.record, uri: named.uri })
  }
  const own: Context = { ...context, changes, about }
  const record = (refusal?: Refusal): void =>
    alsoRecorded(
      { ...context, changes },
      { service: 'vault', message: 'Export Key', action: `part of ${context.summary}`, subject, refusal },
    )
  try {
    if (performance.now() > left.untilMs)
      throw new Refusal('STATE_CONFLICT', 'There was no time left for this key: export it in another request.')
    const exported = await naming(exportKey)(own, id, {}, how)
    bytes = take(left, exported)
    record()
    await changes.commit(context.now)
    return exported
  } catch (error) {
    left.bytes += bytes
    if (!(error instanceof Refusal) || error.reason === 'UNAVAILABLE') throw error
    changes = new Changes()
    record(error)
    await changes.commit(context.now)
    throw error
  }
}

/** The bytes that a key adds to the answer. @throws Refusal TOO_LARGE when they exceed the limit */
function take(left: Left, exported: LocalKeyWithMaterial): number {
  const bytes = Buffer.byteLength(JSON.stringify(exported))
  if (bytes > left.bytes)
    throw new Refusal('TOO_LARGE', 'The answer has no room for this key: export it in another request.')
  left.bytes -= bytes
  return bytes
}
