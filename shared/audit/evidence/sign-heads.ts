import { SignJWT } from 'jose'
import { atOnce } from '../../base/at-once.ts'
import { environment } from '../../base/environment.ts'
import { errorFields, log } from '../../base/log.ts'
import { reached, toSeconds, type Sweep } from '../../base/time.ts'
import { dueItems } from '../../store/due.ts'
import { advance } from '../log/advance.ts'
import { putEvents } from '../log/bus.ts'
import { headNumbered, headsByNumber, newestHead, putHead, type Head } from '../log/heads.ts'
import { GROWN, logOf, type AuditLog } from '../log/store.ts'
import { rootAt } from '../log/tree.ts'
import { canSign, EVIDENCE_ALGORITHM, evidenceSigner } from './key.ts'

/** `typ` of a signed head; no token has it. */
export const HEAD_TYPE = 'audit-tree-head+jwt'
/** `DetailType` of a head on the bus. */
const HEAD_EVENT = 'Audit Tree Head'

const DOMAINS_AT_ONCE = 8
/** Number of heads per call to the bus. */
const HEADS_TOGETHER = 100

async function signed(domain: string, size: number, now: Date): Promise<Head> {
  const root = (await rootAt(domain, size)).toString('hex')
  const at = now.toISOString()
  const { kid, key } = await evidenceSigner(domain, now)
  const jws = await new SignJWT({ iss: environment().KEYMGR_BASE_URL, domain, size, root, time: at })
    .setProtectedHeader({ alg: EVIDENCE_ALGORITHM, typ: HEAD_TYPE, kid })
    .setIssuedAt(toSeconds(now))
    .sign(key)
  return { size, root, at, jws }
}

/**
 * Signs the head of a log that has grown. If another instance has signed the head of this number, that one counts. The
 * log of a deleted domain stays without a final head.
 */
async function signNext(domain: string, { heads, headed, size }: AuditLog, now: Date): Promise<number> {
  if (size <= headed) return 0
  if (!(await canSign(domain))) {
    await advance(domain, now, (known) => ({ ...known, headed: size }))
    return 0
  }
  const before = await newestHead(domain)
  const time = before === undefined || reached(before.at, now) ? now : new Date(before.at) // the clock stepped back
  const head = await signed(domain, size, time)
  const isNew = await putHead(domain, heads, head)
  const counted = isNew ? head : await headNumbered(domain, heads)
  if (counted === undefined) return 0
  await advance(domain, now, (known) =>
    known.heads === heads ? { ...known, heads: heads + 1, headed: Math.max(headed, counted.size) } : known,
  )
  return isNew ? 1 : 0
}

/** Puts heads on the bus that are not on it yet. After an interruption, some are put twice. */
async function tell(domain: string, now: Date): Promise<void> {
  const stored = await logOf(domain)
  if (stored === undefined || stored.item.told >= stored.item.heads) return
  const first = stored.item.told
  const end = Math.min(stored.item.heads, first + HEADS_TOGETHER)
  const heads = await headsByNumber(domain, first, end)
  const events = heads.map(({ size, root, at, jws }) => ({
    type: HEAD_EVENT,
    time: at,
    resources: [],
    detail: JSON.stringify({ domain, size, root, time: at, jws }),
  }))
  const answers = await putEvents(events)
  if (answers.every((answer) => answer === 'taken'))
    await advance(domain, now, (known) => ({ ...known, told: Math.max(known.told, end) }))
}

async function headOf(domain: string, now: Date): Promise<number> {
  try {
    const stored = await logOf(domain)
    const count = stored === undefined ? 0 : await signNext(domain, stored.item, now)
    await tell(domain, now)
    return count
  } catch (error) {
    log('error', 'no head of a tree signed', { domain, ...errorFields(error) })
    return 0
  }
}

/** Signs the head of every tree that has grown since its last head, and puts it on the bus. */
export async function signHeads(sweep: Sweep): Promise<{ signed: number }> {
  let count = 0
  for await (const logs of dueItems(GROWN, sweep)) {
    const signed = await atOnce(logs, DOMAINS_AT_ONCE, ({ domain }) => headOf(domain, sweep.now))
    count += signed.reduce((sum, each) => sum + each, 0)
  }
  return { signed: count }
}
