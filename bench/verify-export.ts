import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { buildClient } from '../infra/build-clients.ts'
import { madeExport, writeZip } from '../test/support/audit-export.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { scaled } from './scale.ts'

const RECORDS = scaled(1_000_000, 100_000)
const ROUNDS = scaled(5, 1)
/** Records between two signed heads: one head per minute at some hundred records per second. */
const HEAD_EACH = 20_000

/** SHA-256 of each line, which is already in memory. @returns milliseconds */
function bareMs(lines: readonly Buffer[]): number {
  const from = performance.now()
  for (const line of lines) hash('sha256', line, 'buffer')
  return performance.now() - from
}

/** The verifier as users run it, from start to exit, against bare SHA-256 of the same lines. */
export async function measure(): Promise<Figure[]> {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-bench-'))
  const [file, program] = [path.join(folder, 'export.zip'), path.join(folder, 'keymgr-verify.mjs')]
  try {
    await buildClient('verifier', folder)
    const range = { first: 0, end: RECORDS }
    const { members } = await madeExport({ size: RECORDS, range, listed: range, headEach: HEAD_EACH })
    await writeZip(file, members)
    const lines = (members.get('audit-logs.json') ?? []).filter((piece) => piece.length > 10)
    const [own, bare]: number[][] = [[], []]
    for (let round = -1; round < ROUNDS; round++) {
      const bareTook = bareMs(lines)
      const from = performance.now()
      const { status, stdout } = spawnSync(process.execPath, [program, file], { encoding: 'utf8' })
      const took = performance.now() - from
      if (status !== 0) throw new Error(`The export is not intact: ${stdout}`)
      if (round < 0) continue // warm-up
      own?.push(took)
      bare?.push(bareTook)
    }
    const rate = (ms: number): string => `${Math.round(RECORDS / ms)} records/ms`
    return [
      {
        name: `verifying an export of ${RECORDS.toLocaleString('en')}: rate / bare SHA-256`,
        measured: spreadOf((own ?? []).map((ms, at) => (bare?.[at] ?? Number.NaN) / ms)),
        promise: { atLeast: 0.5 },
        note: `${rate(medianOf(own ?? []))} against ${rate(medianOf(bare ?? []))}`,
      },
    ]
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}
