import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import * as fs from 'node:fs'
import { SignJWT } from 'jose'
import { ArchiveWriter, NEW_ARCHIVE, type Archive } from '../../shared/audit-exports/archive-writer.ts'
import { CompactRange } from '../../shared/crypto/merkle/compact-range.ts'
import { leafHash } from '../../shared/crypto/merkle/hash.ts'

/** An evidence key and its public key. */
export function evidenceKey(): { key: KeyObject; jwk: Record<string, unknown> } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { key: privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256', use: 'sig' } }
}

export const signed = (typ: string, payload: object, key: KeyObject): Promise<string> =>
  new SignJWT({ ...payload }).setProtectedHeader({ alg: 'ES256', typ, kid: 'k' }).sign(key)

export const TENANT = '00000000-0000-7000-8000-000000000000'
export const FROM = Date.parse('2026-01-01T00:00:00Z')

/** Id of the record that was created `n` seconds after `FROM`. */
export function idAt(n: number): string {
  const hex = (FROM + n * 1_000).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`
}

const timeOf = (n: number): string => new Date(FROM + n * 1_000).toISOString()

/** Bytes of the record that was created `n` seconds after `FROM`. */
export const lineAt = (n: number, more = ''): Buffer =>
  Buffer.from(
    JSON.stringify({
      action: 'Create Key',
      actorid: 'local|01890000-0000-7000-8000-000000000001',
      meta: {
        account: `keymgr:keymgr:admin:accounts:${TENANT}`,
        action: 'POST /v1/vault/keys2',
        clientIP: '203.0.113.7',
        id: idAt(n),
        principal: { groups: ['Key Admins'], sub: 'local|01890000-0000-7000-8000-000000000001' },
        resource_uri: `keymgr:${TENANT}:vault:keys:${n}`,
        service: 'vault',
        severity: 'info',
        uri: `keymgr:${TENANT}:audit:records:${idAt(n)}`,
        username: 'ada',
        ...(more !== '' && { more }),
      },
      resourceid: '0d4b2f9e-58cc-8f2a-9c0e-3d5ee5a4f2a1',
      source: 'dsp',
      status: 'success',
      tenantID: TENANT,
      time: timeOf(n).replace('T', ' ').replace('Z', '000'),
      traceID: idAt(n),
    }),
  )

export interface ExportShape {
  /** size of the tree, the exported positions, and those of them that are in the list */
  readonly size: number
  readonly range: { readonly first: number; readonly end: number }
  readonly listed: { readonly first: number; readonly end: number }
  /** number of records between two signed heads */
  readonly headEach: number
}

/** The members of an export, as the service writes them: by name, in pieces. */
export interface Made {
  readonly heads: readonly string[]
  readonly jwk: Record<string, unknown>
  readonly members: Map<string, Buffer[]>
}

const listOf = (lines: readonly Buffer[]): Buffer[] =>
  lines.length === 0
    ? [Buffer.from('[\n]\n')]
    : [...lines.flatMap((line, at) => [Buffer.from(at === 0 ? '[\n' : ',\n'), line]), Buffer.from('\n]\n')]

/** Creates an export of records, one per second. */
export async function madeExport({ size, range, listed, headEach }: ExportShape): Promise<Made> {
  const { key, jwk } = evidenceKey()
  const tree = new CompactRange()
  const after = new CompactRange({ begin: range.end, end: range.end })
  const own: string[] = []
  const leaves: Buffer[] = []
  const lines: Buffer[] = []
  const context: Buffer[] = []
  const heads: string[] = []
  let frontier: string[] = []
  for (let n = 0; n < size; n++) {
    if (n === range.first) frontier = tree.hashes.map((hash) => hash.toString('hex'))
    const line = lineAt(n)
    const leaf = leafHash(line)
    tree.append(leaf)
    if (n >= range.end) after.append(leaf)
    if (n >= range.first && n < range.end) {
      leaves.push(Buffer.from(idAt(n).replaceAll('-', ''), 'hex'), leaf)
      ;(n >= listed.first && n < listed.end ? lines : context).push(line)
    }
    if ((n + 1) % headEach !== 0 && n + 1 !== size) continue
    const root = tree.root().toString('hex')
    const payload = { iss: 'http://127.0.0.1', domain: TENANT, size: n + 1, root, time: timeOf(n + 1) }
    heads.push(await signed('audit-tree-head+jwt', payload, key))
    if (n + 1 >= range.first && n + 1 <= range.end) own.push(heads.at(-1) ?? '')
  }
  const statement = {
    ...{ iss: 'http://127.0.0.1', domain: TENANT, time: timeOf(size) },
    ...{ from: timeOf(listed.first), to: timeOf(listed.end - 1), ...range, size },
    ...{ listed: lines.length, context: context.length, gone: 0, keptSince: timeOf(0) },
  }
  const evidence = {
    format: 'keymgr-audit-evidence-1',
    statement: await signed('audit-export+jwt', statement, key),
    frontier,
    after: after.hashes.map((hash) => hash.toString('hex')),
    head: heads.at(-1),
    keys: [jwk],
  }
  const members = new Map([
    ['audit-logs.json', listOf(lines)],
    [`evidence/${TENANT}.context.json`, listOf(context)],
    [`evidence/${TENANT}.leaves`, leaves],
    [`evidence/${TENANT}.heads`, [Buffer.from(own.map((head) => `${head}\n`).join(''))]],
    [`evidence/${TENANT}.json`, [Buffer.from(JSON.stringify(evidence))]],
  ])
  return { heads, jwk, members }
}

const PIECES_TOGETHER = 2_000

/** Writes members into a ZIP file. */
export async function writeZip(file: string, members: ReadonlyMap<string, readonly Buffer[]>): Promise<void> {
  let archive: Archive = NEW_ARCHIVE
  fs.writeFileSync(file, '')
  for (const [name, pieces] of members) {
    const writer = new ArchiveWriter(archive)
    writer.begin(name)
    for (let at = 0; at < pieces.length; at += PIECES_TOGETHER)
      await writer.write(Buffer.concat(pieces.slice(at, at + PIECES_TOGETHER)))
    await writer.end()
    const taken = await writer.take()
    archive = taken.archive
    fs.appendFileSync(file, taken.bytes)
  }
  const writer = new ArchiveWriter(archive)
  writer.close()
  fs.appendFileSync(file, (await writer.take()).bytes)
}
