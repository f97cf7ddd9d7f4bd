import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { thumbprint } from '../../../clients/verify/evidence.ts'
import { buildClient } from '../../../infra/build-clients.ts'
import { leafHash } from '../../../shared/crypto/merkle/hash.ts'
import {
  evidenceKey,
  idAt,
  lineAt,
  madeExport,
  signed,
  TENANT,
  writeZip,
  type Made,
} from '../../support/audit-export.ts'
import { expectNoHang } from '../../support/hang.ts'

/**
 * The distributed verifier: one file, run by Node in a folder without packages. Each export below differs from an
 * intact one in a single respect.
 */
const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-verify-'))
const program = path.join(folder, 'keymgr-verify.mjs')
const RANGE = { first: 137, end: 1_100 }
const LISTED = { first: 150, end: 1_050 }
let made: Made

beforeAll(async () => {
  await buildClient('verifier', folder)
  made = await madeExport({ size: 1_200, range: RANGE, listed: LISTED, headEach: 100 })
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

type Members = Map<string, Buffer[]>
interface Ran {
  readonly status: number | null
  readonly verdict: any
  /** without `--json`: the report, or the reason why the file cannot be read */
  readonly out: string
}

/** Changes an export and verifies it. */
async function verified(change: (members: Members) => unknown, ...options: string[]): Promise<Ran> {
  const members: Members = new Map([...made.members].map(([name, pieces]) => [name, [...pieces]]))
  await change(members)
  const file = path.join(folder, 'export.zip')
  await writeZip(file, members)
  const run = (...more: string[]) =>
    spawnSync(process.execPath, [program, file, ...options, ...more], { cwd: folder, encoding: 'utf8' })
  const { status, stdout } = run('--json')
  return {
    status,
    verdict: stdout === '' ? undefined : JSON.parse(stdout),
    get out() {
      const told = run()
      expect(told.status).toBe(status)
      return told.stdout + told.stderr
    },
  }
}

/** Changes the lines of a list, but not the frame around them. */
function editLines(members: Members, edit: (lines: string[]) => string[], name = 'audit-logs.json'): void {
  const text = Buffer.concat(members.get(name) ?? []).toString()
  const lines = text
    .split('\n')
    .slice(1, -2)
    .map((line) => line.replace(/,$/, ''))
  members.set(name, [Buffer.from(`[\n${edit(lines).join(',\n')}\n]\n`)])
}

function editEvidence(members: Members, edit: (evidence: any) => object): void {
  const name = `evidence/${TENANT}.json`
  const evidence = JSON.parse(Buffer.concat(members.get(name) ?? []).toString()) as unknown
  members.set(name, [Buffer.from(JSON.stringify(edit(evidence)))])
}

const swap = (lines: string[], a: number, b: number): string[] =>
  lines.map((line, at) => lines[at === a ? b : at === b ? a : at] ?? line)

test('an intact export passes, with all its valid heads', async () => {
  const { status, out, verdict } = await verified(() => undefined)
  expect(out).toContain('900 records of tenant')
  expect(out).toContain('compare them with')
  expect(out).toContain('Intact.')
  expect(status).toBe(0)
  expect(verdict).toMatchObject({ intact: true, findings: [], doubts: [], newest: { size: 1_200 } })
})

test('the list is valid JSON', () => {
  const list = JSON.parse(Buffer.concat(made.members.get('audit-logs.json') ?? []).toString()) as unknown[]
  expect(list).toHaveLength(900)
})

const at = (position: number) => position - LISTED.first

test.each<[string, (lines: string[]) => string[], object[]]>([
  [
    'one byte of a record',
    (lines) => lines.map((line, n) => (n === at(400) ? line.replace('"ada"', '"bob"') : line)),
    [{ kind: 'altered', line: at(400) + 2, id: idAt(400), position: 400 }],
  ],
  [
    'a record taken out',
    (lines) => lines.filter((_, n) => n !== at(700)),
    [{ kind: 'removed', id: idAt(700), position: 700 }],
  ],
  [
    'the last record taken out',
    (lines) => lines.slice(0, -1),
    [{ kind: 'removed', id: idAt(LISTED.end - 1), position: LISTED.end - 1 }],
  ],
  [
    'two records swapped',
    (lines) => swap(lines, at(500), at(501)),
    [{ kind: 'reordered', id: idAt(500), position: 500, line: at(501) + 2 }],
  ],
  [
    'a record put in',
    (lines) => [...lines.slice(0, 10), lineAt(9_999).toString(), ...lines.slice(10)],
    [{ kind: 'added', line: 12, id: idAt(9_999) }],
  ],
  [
    'a record that stands there twice',
    (lines) => [...lines, lines[3] ?? ''],
    [{ kind: 'added', position: LISTED.first + 3, line: 902 }],
  ],
  [
    'a record in place of another',
    (lines) => lines.map((line, n) => (n === at(600) ? lineAt(7_777).toString() : line)),
    [
      { kind: 'added', line: at(600) + 2, id: idAt(7_777) },
      { kind: 'removed', position: 600 },
    ],
  ],
  ['all records', () => [], Array.from({ length: 900 }, () => ({ kind: 'removed' }))],
])('%s is found', async (_what, edit, findings) => {
  const { status, verdict } = await verified((members) => editLines(members, edit))
  expect(status).toBe(1)
  expect(verdict.findings).toHaveLength(findings.length)
  expect(verdict.findings).toMatchObject(findings)
  expect(verdict.doubts).toEqual([])
})

test('a finding states until when the record was unchanged', async () => {
  const edit = (lines: string[]) => lines.filter((_, n) => n !== at(700))
  const { verdict, out } = await verified((members) => editLines(members, edit))
  expect(verdict.findings[0].since).toBe('2026-01-01T00:13:20.000Z') // the head of 800 records
  expect(out).toContain(`Removed: record ${idAt(700)}, position 700, after 2026-01-01T00:13:20.000Z.`)
  expect(out).toContain('Tampered: 1 finding.')
})

test('a record moved out of the list to its context is found', async () => {
  const { status, verdict } = await verified((members) => {
    let moved = ''
    editLines(members, (lines) => {
      moved = lines[200] ?? ''
      return lines.filter((_, n) => n !== 200)
    })
    editLines(members, (lines) => [...lines, moved], `evidence/${TENANT}.context.json`)
  })
  expect(status).toBe(1)
  expect(verdict.doubts).toMatchObject([{ kind: 'context' }])
})

test('a changed record with a changed leaf fails, because the tree differs from the signed one', async () => {
  const { status, verdict } = await verified((members) => {
    const leaves = Buffer.concat(members.get(`evidence/${TENANT}.leaves`) ?? [])
    leaves.fill(7, (450 - RANGE.first) * 48 + 16, (451 - RANGE.first) * 48)
    members.set(`evidence/${TENANT}.leaves`, [leaves])
  })
  expect(status).toBe(1)
  expect(verdict.doubts).toMatchObject([{ kind: 'tree', message: expect.stringContaining('500 records') as string }])
  expect(verdict.doubts[0].message).toContain('400 records')
})

test('wrong creation times in leaves do not hide a removal', async () => {
  const { status, verdict } = await verified((members) => {
    editLines(members, (lines) => lines.filter((_, n) => n !== at(700)))
    const leaves = Buffer.concat(members.get(`evidence/${TENANT}.leaves`) ?? [])
    leaves.fill(0, (700 - RANGE.first) * 48, (700 - RANGE.first) * 48 + 6)
    members.set(`evidence/${TENANT}.leaves`, [leaves])
  })
  expect(status).toBe(1)
  expect(verdict.doubts).toMatchObject([{ kind: 'count' }])
})

test('an export signed by another key fails with --key', async () => {
  const own = thumbprint(made.jwk)
  const other = evidenceKey()
  const keyFile = path.join(folder, 'key.json')
  fs.writeFileSync(keyFile, JSON.stringify(made.jwk))
  expect((await verified(() => undefined, '--key', own)).status).toBe(0)
  expect((await verified(() => undefined, '--key', keyFile)).status).toBe(0)
  fs.writeFileSync(keyFile, JSON.stringify({ keys: [other.jwk, made.jwk] }))
  expect((await verified(() => undefined, '--key', keyFile)).status).toBe(0)
  expect((await verified(() => undefined, '--key', thumbprint(other.jwk))).status).toBe(1)
  const near = `${own.startsWith('-') ? '_' : '-'}${own.slice(1)}`
  expect((await verified(() => undefined, '--key', near)).status).toBe(1)
})

test('a statement that was signed for other positions, or not signed, fails', async () => {
  const other = evidenceKey()
  const { status, verdict } = await verified(async (members) => {
    const [, payload = ''] = JSON.parse(
      Buffer.concat(members.get(`evidence/${TENANT}.json`) ?? []).toString(),
    ).statement.split('.') as string[]
    const statement = await signed(
      'audit-export+jwt',
      JSON.parse(Buffer.from(payload, 'base64url').toString()) as object,
      other.key,
    )
    editEvidence(members, (evidence) => ({ ...evidence, statement }))
  })
  expect(status).toBe(1)
  expect(verdict.doubts).toMatchObject([{ kind: 'statement' }])
})

test('heads from elsewhere are held against the export', async () => {
  const file = path.join(folder, 'heads.txt')
  fs.writeFileSync(file, `${made.heads.join('\n')}\n`)
  const held = await verified(() => undefined, '--heads', file)
  expect(held).toMatchObject({ status: 0, verdict: { beyond: 1, heads: 11 } })
  expect(held.out).toContain('nothing of 1 head')
  const key = evidenceKey()
  const payload = { iss: 'x', domain: TENANT, size: 500, root: 'ab'.repeat(32), time: '2026-01-01T00:08:20.000Z' }
  fs.writeFileSync(file, await signed('audit-tree-head+jwt', payload, key.key))
  const forged = await verified(() => undefined, '--heads', file)
  expect(forged.verdict.doubts).toMatchObject([
    { kind: 'head', message: expect.stringContaining('not signed') as string },
  ])
})

test('an export without its newest head is not proven', async () => {
  const { status, verdict } = await verified((members) => {
    editEvidence(members, ({ head: _, ...evidence }) => evidence)
  })
  expect(status).toBe(1)
  expect(verdict.doubts).toMatchObject([{ kind: 'head' }])
})

test.each<[string, (members: Members) => unknown]>([
  ['without leaves', (members) => members.delete(`evidence/${TENANT}.leaves`)],
  ['without evidence', (members) => members.delete(`evidence/${TENANT}.json`)],
  ['without a list', (members) => members.delete('audit-logs.json')],
  ['with leaves that are cut off', (members) => members.set(`evidence/${TENANT}.leaves`, [Buffer.alloc(48)])],
  ['with evidence that is no JSON', (members) => members.set(`evidence/${TENANT}.json`, [Buffer.from('{')])],
  ['with hashes that do not fit', (members) => editEvidence(members, (evidence) => ({ ...evidence, frontier: [] }))],
])('an export %s cannot be read', async (_what, change) => {
  const { status, out } = await verified(change)
  expect(status).toBe(2)
  expect(out).toMatch(/\.\n$/)
})

test('a file that is no ZIP file, is cut off, or is not there cannot be read', async () => {
  await verified(() => undefined)
  const whole = fs.readFileSync(path.join(folder, 'export.zip'))
  const file = path.join(folder, 'other.zip')
  const run = (...given: string[]) => spawnSync(process.execPath, [program, ...given], { encoding: 'utf8' })
  for (const bytes of [Buffer.alloc(0), Buffer.from('no zip'), whole.subarray(0, -10), whole.subarray(1_000)]) {
    fs.writeFileSync(file, bytes)
    expect(run(file).status).toBe(2)
  }
  expect(run(path.join(folder, 'nothing.zip')).status).toBe(2)
  expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage') as string })
})

test('a passport is genuine only by the given keys', async () => {
  const [file, keyFile] = [path.join(folder, 'passport.json'), path.join(folder, 'keys.json')]
  const own = evidenceKey()
  const claims = { iss: 'https://keymgr.example.com', domain: TENANT, key: {}, evidence: { records: [] } }
  fs.writeFileSync(file, JSON.stringify({ passport: await signed('keymgr-passport+jwt', claims, own.key) }))
  const run = (...given: string[]) => spawnSync(process.execPath, [program, 'passport', ...given], { encoding: 'utf8' })
  fs.writeFileSync(keyFile, JSON.stringify({ keys: [{ ...own.jwk, kid: 'k' }] }))
  expect(run(file, '--key', keyFile)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Genuine.') as string,
  })
  fs.writeFileSync(keyFile, JSON.stringify({ keys: [{ ...evidenceKey().jwk, kid: 'k' }] }))
  const other = run(file, '--key', keyFile, '--json')
  expect(JSON.parse(other.stdout)).toMatchObject({ intact: false, faults: ['The passport has a wrong signature.'] })
  expect(other.status).toBe(1)
  expect(run(file)).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage') as string })
  fs.writeFileSync(keyFile, '[]')
  expect(run(file, '--key', keyFile).status).toBe(2)
})

test('the proof of a record is checked only by the given keys', async () => {
  const [file, keyFile] = [path.join(folder, 'proof.json'), path.join(folder, 'proof-keys.json')]
  const own = evidenceKey()
  const bytes = lineAt(7)
  const root = leafHash(bytes).toString('hex')
  const head = await signed('audit-tree-head+jwt', { domain: TENANT, size: 1, root, time: '2026-01-01' }, own.key)
  const tree = { size: 1, root, head }
  const proof = { record: idAt(7), position: 0, leaf: root, record_bytes: bytes.toString('base64'), tree, path: [] }
  const run = (...given: string[]) => spawnSync(process.execPath, [program, 'proof', ...given], { encoding: 'utf8' })
  fs.writeFileSync(file, JSON.stringify(proof))
  fs.writeFileSync(keyFile, JSON.stringify({ keys: [own.jwk] }))
  const proven = run(file, '--key', keyFile)
  expect([proven.status, proven.stdout]).toEqual([0, expect.stringContaining('Proven by the head of 2026-01-01.')])
  fs.writeFileSync(keyFile, JSON.stringify({ keys: [evidenceKey().jwk] }))
  expect(JSON.parse(run(file, '--key', keyFile, '--json').stdout)).toMatchObject({ intact: false })
  expect(run(file).status).toBe(2)
})

test('a line without an end is refused before it is copied with each piece', async () => {
  const from = performance.now()
  const { status, out } = await verified((members) =>
    members.set('audit-logs.json', [
      Buffer.from('[\n{'),
      ...Array.from({ length: 64 }, () => Buffer.alloc(1 << 20, 0x20)),
    ]),
  )
  expect([status, out]).toEqual([2, expect.stringContaining('longer than any record')])
  expectNoHang(from)
})

test('the time for a list of unknown records grows linearly', async () => {
  const { key } = evidenceKey()
  const end = 200_000
  const statement = { domain: TENANT, from: '2026-01-01', to: '2027-01-01', time: '2027-01-01' }
  const sizes = { first: 0, end, listed: end, context: 0, gone: 0, size: end }
  const from = performance.now()
  const members = new Map<string, Buffer[]>()
  const evidence = {
    format: 'keymgr-audit-evidence-1',
    ...{ frontier: [], after: [], keys: [] },
    statement: await signed('audit-export+jwt', { ...statement, ...sizes }, key),
  }
  members.set(`evidence/${TENANT}.json`, [Buffer.from(JSON.stringify(evidence))])
  members.set(`evidence/${TENANT}.leaves`, [Buffer.alloc(48 * end)])
  members.set(`evidence/${TENANT}.heads`, [])
  members.set(`evidence/${TENANT}.context.json`, [Buffer.from('[\n]\n')])
  const lines = Array.from({ length: 20_000 }, (_, n) => Buffer.concat([lineAt(n), Buffer.from(',\n')]))
  members.set('audit-logs.json', [Buffer.from('[\n'), ...lines, Buffer.from(']\n')])
  const file = path.join(folder, 'unknown.zip')
  await writeZip(file, members)
  const { status } = spawnSync(process.execPath, [program, file])
  expect(status).toBe(1)
  expectNoHang(from)
})
