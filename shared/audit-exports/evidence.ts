import { SignJWT } from 'jose'
import { defined } from '../base/fields.ts'
import { environment } from '../base/environment.ts'
import { toSeconds } from '../base/time.ts'
import { removalOf } from '../http/audit/store.ts'
import { EVIDENCE_ALGORITHM, evidenceJwks, evidenceSigner } from '../audit/evidence/key.ts'
import { newestHead } from '../audit/log/heads.ts'
import { frontierAt, subtreesBetween } from '../audit/log/tree.ts'
import type { BegunPart, StoredExport } from './store.ts'

/** `typ` of the signed statement, so that no token or head can be presented as one. */
const STATEMENT_TYPE = 'audit-export+jwt'

/** The proofs of an export, in the format that `clients/verify` reads. Hashes are in hex. */
interface Evidence {
  readonly format: 'keymgr-audit-evidence-1'
  /** compact JWS: the positions, the time and the number of the records (`statementOf`) */
  readonly statement: string
  /** compact range before the first position */
  readonly frontier: readonly string[]
  /** subtrees after the last position, up to the newest head */
  readonly after: readonly string[]
  /** the newest head: compact JWS; absent if the domain has no record */
  readonly head?: string
  /** public keys of heads and statement */
  readonly keys: Awaited<ReturnType<typeof evidenceJwks>>
}

const hex = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'))

/** The time before which records may have been removed. */
function keptSince(now: Date): string | undefined {
  const removal = removalOf({ createdAt: now.toISOString() })
  return removal && new Date(2 * now.getTime() - removal.getTime()).toISOString()
}

/**
 * Signed, so that a truncated export is detected.
 * @param size of the tree of its proofs
 */
async function statementOf({ tenant, from, to }: StoredExport, part: BegunPart, size: number, now: Date) {
  const { range, listed, context } = part
  const { kid, key } = await evidenceSigner(tenant, now)
  const since = keptSince(now)
  const statement = {
    iss: environment().KEYMGR_BASE_URL,
    domain: tenant,
    ...{ from, to, time: now.toISOString(), ...range, size },
    ...{ listed, context, gone: range.end - range.first - listed - context },
    ...defined({ keptSince: since }),
  }
  return new SignJWT(statement)
    .setProtectedHeader({ alg: EVIDENCE_ALGORITHM, typ: STATEMENT_TYPE, kid })
    .setIssuedAt(toSeconds(now))
    .sign(key)
}

/** The proofs of an export, built when its lists are written. */
export async function evidenceOf(job: StoredExport, part: BegunPart, now: Date): Promise<Evidence> {
  const { tenant } = job
  const { first, end } = part.range
  const head = await newestHead(tenant)
  const size = head?.size ?? 0
  const statement = await statementOf(job, part, size, now) // creates the domain's key, if it has none
  return {
    format: 'keymgr-audit-evidence-1',
    statement,
    frontier: hex(await frontierAt(tenant, first)),
    after: hex(await subtreesBetween(tenant, end, size)),
    ...(head && { head: head.jws }),
    keys: await evidenceJwks(tenant),
  }
}
