import { hash, randomFillSync } from 'node:crypto'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { Refusal } from '../../base/errors.ts'
import { beforeDeadline, type Moment } from '../../base/moment.ts'
import { errorFields, log } from '../../base/log.ts'
import { ROTATE_USED_KEY, usesKey } from '../../vault/keys/record/uses.ts'
import { addTo, makeDue } from '../sdkless/dynamo.ts'

/**
 * Most uses of one key version with GCM. Ours: the bound for ivs that may collide, although these ivs do not (SP
 * 800-38D §8.3)
 */
const USES_LIMIT = 2 ** 32
/** Half of that: leaves the trigger time to add a new version. */
const USES_WARNING = 2 ** 31

const SMALLEST_BLOCK = 256
const LARGEST_BLOCK = 65_536
/** Ours: a block that is used up faster is followed by one of twice its size, a slower one by one of half its size. */
const SHORT_MS = 1_000
const LONG_MS = 10_000

const IV_BYTES = 12
const COUNTER_AT = 4
const UINT32 = 2 ** 32

/** Uses reserved for this instance: `next` to `end - 1`. */
interface Block {
  /** first four bytes of its ivs */
  readonly field: number
  readonly size: number
  readonly sinceMs: number
  readonly end: number
  next: number
}

interface Lease {
  /** start of this version's 64-bit counter, in two halves */
  readonly origin: { readonly high: number; readonly low: number }
  block: Block | undefined
  /** leased before the current block ends */
  spare: Block | undefined
  leasing: Promise<void> | undefined
  exhausted: boolean
}

/** A dropped lease loses the rest of its block: the counter is large enough, and no number is used twice. */
const leases = new BoundedCache<Lease>(4_096)

function leaseOf(versionId: string): Lease {
  const known = leases.get(versionId)
  if (known) return known
  const digest = Buffer.from(hash('sha256', versionId), 'hex')
  const origin = { high: digest.readUInt32BE(0), low: digest.readUInt32BE(4) }
  const lease: Lease = { origin, block: undefined, spare: undefined, leasing: undefined, exhausted: false }
  leases.set(versionId, lease)
  return lease
}

function nextSize({ block }: Lease, nowMs: number): number {
  if (block === undefined) return SMALLEST_BLOCK
  const lastedMs = nowMs - block.sinceMs
  if (lastedMs < SHORT_MS) return Math.min(LARGEST_BLOCK, block.size * 2)
  return lastedMs > LONG_MS ? Math.max(SMALLEST_BLOCK, block.size / 2) : block.size
}

async function leaseBlock(domain: string, versionId: string, lease: Lease, now: Moment): Promise<void> {
  const size = nextSize(lease, now.monoMs)
  const key = usesKey(domain, versionId)
  const end = await addTo(key, 'uses', { by: size, limit: USES_LIMIT }, now.epochMs)
  if (end === undefined) {
    lease.exhausted = true
    return
  }
  const field = randomFillSync(Buffer.allocUnsafe(4)).readUInt32BE()
  lease.spare = { field, size, sinceMs: now.monoMs, next: end - size, end: Math.min(end, USES_LIMIT) }
  if (end >= USES_WARNING) await askForRotation(domain, versionId, end, now)
}

/** The data plane only marks the version as due: a trigger creates the new version. */
async function askForRotation(domain: string, versionId: string, uses: number, { epochMs }: Moment): Promise<void> {
  log('warn', 'a key version has been used often: a new version is to follow it', { domain, key: versionId, uses })
  await makeDue(usesKey(domain, versionId), ROTATE_USED_KEY, epochMs).catch((error: unknown) =>
    log('error', 'the new version could not be asked for', { domain, key: versionId, ...errorFields(error) }),
  )
}

function lease(domain: string, versionId: string, of: Lease, now: Moment): Promise<void> {
  of.leasing ??= leaseBlock(domain, versionId, of, now).finally(() => {
    of.leasing = undefined
  })
  return of.leasing
}

/**
 * Field of the block ‖ counter of the version (8 bytes, big-endian): the deterministic construction of SP 800-38D
 * §8.2.1. The counter alone never repeats for a version. Ours: it starts at an offset of the version (from the hash of
 * its id), and each block draws its field at random. So neither two versions with the same imported material nor a
 * table restored to an earlier time repeat an iv.
 */
function ivOf({ high, low }: Lease['origin'], field: number, use: number): Buffer {
  const iv = Buffer.allocUnsafe(IV_BYTES)
  const sum = low + use
  iv.writeUInt32BE(field, 0)
  iv.writeUInt32BE((high + Math.floor(sum / UINT32)) % UINT32, COUNTER_AT)
  iv.writeUInt32BE(sum % UINT32, COUNTER_AT + 4)
  return iv
}

/** The next iv, if the block has one. Leases more uses in the background once half of the block is used. */
function ivAtHand(domain: string, versionId: string, of: Lease, now: Moment): Buffer | undefined {
  if (of.block === undefined || of.block.next === of.block.end) {
    if (of.spare === undefined) return undefined
    of.block = of.spare
    of.spare = undefined
  }
  const { block } = of
  const iv = ivOf(of.origin, block.field, block.next++)
  if (of.spare === undefined && !of.exhausted && (block.end - block.next) * 2 <= block.size)
    lease(domain, versionId, of, now).catch(() => undefined) // some are left: a later use tries again
  return iv
}

async function leasedIv(domain: string, versionId: string, of: Lease, now: Moment): Promise<Buffer> {
  while (!of.exhausted) {
    await beforeDeadline(lease(domain, versionId, of, now), now)
    const iv = ivAtHand(domain, versionId, of, now)
    if (iv) return iv
  }
  throw new Refusal('USED_UP', 'The key version has been used as often as it may be.')
}

/**
 * An iv that no instance has used or will use under this key version; 12 bytes. It counts as a use.
 * @throws Refusal USED_UP after 2^32 uses; UNAVAILABLE
 */
export function freshIv(domain: string, versionId: string, now: Moment): Buffer | Promise<Buffer> {
  const of = leaseOf(versionId)
  return ivAtHand(domain, versionId, of, now) ?? leasedIv(domain, versionId, of, now)
}
