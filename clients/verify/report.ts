import type { PassportCheck } from './passport.ts'
import type { ProofCheck } from './proof.ts'
import type { DatedFinding, Verdict } from './verify.ts'

/** Ours: maximum number of findings in the report; any others are only counted. `--json` has them all. */
const TOLD_MOST = 100

const number = (value: number): string => value.toLocaleString('en')
const plural = (count: number, word: string): string => `${number(count)} ${word}${count === 1 ? '' : 's'}`

const since = ({ since: time }: DatedFinding): string => (time === undefined ? '' : `, after ${time}`)

function sentence(finding: DatedFinding): string {
  const { kind, line, isContext, id = 'without an id', position } = finding
  const place = `Line ${line}${isContext ? ' of the context' : ''}`
  if (kind === 'removed') return `Removed: record ${id}, position ${position}${since(finding)}.`
  if (kind === 'altered') return `Altered: ${place}, record ${id}, position ${position}${since(finding)}.`
  if (kind === 'reordered')
    return `Reordered: ${place}, record ${id}, belongs at position ${position}${since(finding)}.`
  return position === undefined
    ? `Added: ${place}, record ${id}, is not in the tree.`
    : `Added: ${place}, record ${id}, stands there again.`
}

export const isIntact = ({ findings, doubts }: Verdict): boolean => findings.length === 0 && doubts.length === 0

/** The verdict, one sentence per line. */
export function told(file: string, verdict: Verdict): string[] {
  const { statement, findings, doubts, heads, beyond, newest, thumbprints, areOwn } = verdict
  const { first, end, listed, from, to, domain, gone } = statement
  const more = findings.length - TOLD_MOST
  return [
    `${file}: ${plural(listed, 'record')} of tenant ${domain} from ${from} to ${to}, positions ${first} up to ${end}.`,
    ...findings.slice(0, TOLD_MOST).map(sentence),
    ...(more > 0 ? [`${number(more)} findings more; --json has all of them.`] : []),
    ...doubts.map(({ message }) => message),
    ...(newest
      ? [`The tree has ${plural(heads, 'signed head')}, the newest of ${newest.time} (${number(newest.size)} records).`]
      : []),
    ...(beyond > 0 ? [`The export says nothing of ${plural(beyond, 'head')} of other sizes.`] : []),
    ...(gone > 0 ? [`${plural(gone, 'record')} had reached the end of their retention when it was made.`] : []),
    `Keys: ${thumbprints.join(', ') || 'none'}.`,
    ...(areOwn
      ? ['They come with the export: compare them with GET /v1/audit/heads/jwks.json, or name them with --key.']
      : []),
    isIntact(verdict) ? 'Intact.' : `Tampered: ${plural(findings.length + doubts.length, 'finding')}.`,
  ]
}

/** The content and the proofs of a passport, one sentence per line. */
export function toldOfPassport(file: string, { isGenuine, faults, claims, proven, pending }: PassportCheck): string[] {
  return [
    ...(claims === undefined ? [] : [`${file}: of domain ${String(claims.domain)}, issued by ${String(claims.iss)}.`]),
    ...faults,
    ...(claims === undefined ? [] : [`${plural(proven.length, 'record')} proven by the head of the log.`]),
    ...(pending.length > 0
      ? [`${plural(pending.length, 'record')} not covered by a signed head when the passport was made.`]
      : []),
    isGenuine ? 'Genuine.' : `Not genuine: ${plural(faults.length, 'fault')}.`,
  ]
}

/** What a proof of inclusion proves, one sentence per line. */
export function toldOfProof(file: string, { isProven, faults, record, time }: ProofCheck): string[] {
  const { action, time: at, tenantID } = record ?? {}
  return [
    ...(record === undefined ? [] : [`${file}: ${String(action)} of ${String(at)} in tenant ${String(tenantID)}.`]),
    ...faults,
    isProven ? `Proven by the head of ${String(time)}.` : 'Not proven.',
  ]
}
