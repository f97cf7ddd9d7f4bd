import type { Fields } from '../../shared/base/json.ts'
import { readEvidence, readStatement, Trust, type Evidence, type Head, type Statement } from './evidence.ts'
import { eachLine } from './lines.ts'
import { LEAF_BYTES, Matching, type Finding } from './matching.ts'
import { rootsBeside } from './tree.ts'
import { Unreadable, ZipReader } from './zip-reader.ts'

/** An error in the proofs themselves. */
export interface Doubt {
  readonly kind: 'statement' | 'head' | 'tree' | 'count' | 'context'
  readonly message: string
}

/** A finding, with the last head that covered the record before it was changed. */
export interface DatedFinding extends Finding {
  /** time of that head: the list was changed later */
  readonly since?: string
}

export interface Verdict {
  readonly statement: Statement
  readonly findings: readonly DatedFinding[]
  readonly doubts: readonly Doubt[]
  /** numbers of heads that this export confirms, and of given heads that it cannot check */
  readonly heads: number
  readonly beyond: number
  readonly newest: Head | undefined
  readonly thumbprints: readonly string[]
  /** whether the keys come from the export itself */
  readonly areOwn: boolean
}

export interface Wishes {
  /** further heads, as compact JWS */
  readonly heads: readonly string[]
  /** keys, or the thumbprint of a key in the export; default: all keys of the export */
  readonly key: readonly Fields[] | string | undefined
  /** the module that hashes trees in another thread */
  readonly program: URL
}

/** The evidence of an export, which must be of one tenant. @throws Unreadable */
async function evidenceIn(zip: ZipReader): Promise<{ tenant: string; evidence: Evidence }> {
  const [name, more] = zip.names.filter((each) => /^evidence\/[^/.]+\.json$/.test(each))
  if (name === undefined || more !== undefined) throw new Unreadable('The file is no export with evidence')
  return { tenant: name.slice('evidence/'.length, -'.json'.length), evidence: readEvidence(await zip.bytes(name)) }
}

/** Ours: 80 million records. A statement that is not signed yet must not reserve all memory. */
const LEAVES_BYTES_MOST = 4e9

async function leavesIn(zip: ZipReader, tenant: string, { first, end }: Statement): Promise<SharedArrayBuffer> {
  const length = (end - first) * LEAF_BYTES
  if (length > LEAVES_BYTES_MOST) throw new Unreadable('The export states more positions than fit')
  const shared = new SharedArrayBuffer(length)
  const leaves = Buffer.from(shared)
  let at = 0
  for await (const piece of zip.pieces(`evidence/${tenant}.leaves`)) {
    if (at + piece.length > leaves.length) throw new Unreadable('The export has more leaves than positions')
    at += piece.copy(leaves, at)
  }
  if (at < leaves.length) throw new Unreadable('The export has fewer leaves than positions')
  return shared
}

/** Milliseconds in the first six bytes of an id. @see RFC 9562 §5.7 */
const madeAt = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** A time of the platform's format. */
const platformTime = (time: string): string => new Date(time).toISOString().replace('T', ' ').replace('Z', '000')

/** Signed heads by size. Two different heads of one size are an error. */
function headsOf(texts: readonly string[], trust: Trust, tenant: string, doubts: Doubt[]): Head[] {
  const bySize = new Map<number, Head>()
  let unsigned = 0
  for (const text of new Set(texts)) {
    const head = trust.head(text, tenant)
    if (head === undefined) unsigned++
    else {
      const known = bySize.get(head.size)
      if (known !== undefined && known.root !== head.root)
        doubts.push({ kind: 'head', message: `Two signed heads of ${head.size} records differ: the log was split.` })
      bySize.set(head.size, known ?? head)
    }
  }
  if (unsigned > 0) doubts.push({ kind: 'head', message: `${unsigned} heads are not signed by a key that counts.` })
  return [...bySize.values()].sort((a, b) => a.size - b.size)
}

/** Heads that the tree confirms, up to the first that it does not. */
function holding(heads: readonly Head[], roots: ReadonlyMap<number, string>, doubts: Doubt[]): Head[] {
  const covered = heads.filter(({ size }) => roots.has(size))
  const broken = covered.findIndex(({ size, root }) => roots.get(size) !== root)
  if (broken === -1) return covered
  const before = covered[broken - 1]
  const since = before === undefined ? '' : ` and after ${before.time} (${before.size} records)`
  const { size = 0, time = '' } = covered[broken] ?? {}
  doubts.push({
    kind: 'tree',
    message: `The tree is not the one of the signed head of ${size} records: changed before ${time}${since}, or in this file.`,
  })
  return covered.slice(0, broken)
}

/** Matches the records in the context list. @returns the number of them that belong in the main list */
async function matchContext(zip: ZipReader, tenant: string, matching: Matching, { from, to }: Statement) {
  const [first, last] = [platformTime(from), platformTime(to)]
  const take = matching.list(true)
  let misplaced = 0
  await eachLine(zip.pieces(`evidence/${tenant}.context.json`), (line) => {
    const [, time = ''] = /"time":"([^"]*)"/.exec(line.bytes.toString()) ?? []
    if (time >= first && time <= last) misplaced++
    take(line)
  })
  return misplaced
}

/** Verifies an export. @throws Unreadable */
export async function verify(file: string, { heads: given, key, program }: Wishes): Promise<Verdict> {
  const zip = await ZipReader.open(file)
  const { tenant, evidence } = await evidenceIn(zip)
  const statement = readStatement(evidence.statement)
  const { first, size, keptSince, gone: saidGone } = statement
  const trust = new Trust(evidence.keys, key)
  const doubts: Doubt[] = []
  if (trust.signed(evidence.statement, 'audit-export+jwt', tenant) === undefined)
    doubts.push({ kind: 'statement', message: 'The statement of the export is not signed by a key that counts.' })
  const own = (await zip.bytes(`evidence/${tenant}.heads`)).toString().split('\n')
  const texts = [...own, evidence.head ?? '', ...given].map((text) => text.trim()).filter((text) => text !== '')
  const heads = headsOf(texts, trust, tenant, doubts)

  const leaves = await leavesIn(zip, tenant, statement)
  const { frontier, after } = evidence
  const tree = rootsBeside(program, { leaves, first, frontier, after, size, sizes: heads.map((head) => head.size) })
  const matching = new Matching(Buffer.from(leaves), first)
  await eachLine(zip.pieces('audit-logs.json'), matching.list(false))
  const misplaced = await matchContext(zip, tenant, matching, statement)
  const answer = await tree
  if ('error' in answer) throw new Unreadable(`The hashes of the evidence do not fit: ${answer.error}`)

  const holds = holding(heads, answer.roots, doubts)
  const newest = holds.at(-1)
  if (size > 0 && newest?.size !== size && doubts.length === 0)
    doubts.push({ kind: 'head', message: `No signed head of ${size} records comes with the export.` })
  if (misplaced > 0)
    doubts.push({ kind: 'context', message: `${misplaced} records of the time were moved out of the list.` })
  const { findings, gone } = matching.findings((id) => keptSince !== undefined && madeAt(id) < Date.parse(keptSince))
  if (gone !== saidGone)
    doubts.push({
      kind: 'count',
      message: `${gone} records are gone by their age, and ${saidGone} were when it was made.`,
    })
  const dated = findings.map((finding): DatedFinding => {
    const { position } = finding
    const head = position === undefined ? undefined : holds.find((each) => each.size > position)
    return head === undefined ? finding : { ...finding, since: head.time }
  })
  const beyond = heads.length - heads.filter((head) => answer.roots.has(head.size)).length
  const { thumbprints } = trust
  const areOwn = key === undefined
  return { statement, findings: dated, doubts, heads: holds.length, beyond, newest, thumbprints, areOwn }
}
