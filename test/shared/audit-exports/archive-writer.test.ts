import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ArchiveWriter, NEW_ARCHIVE, type Archive } from '../../../shared/audit-exports/archive-writer.ts'

const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-zip-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** A file written in stretches, each by a new writer that only has the archive so far. */
async function fileOf(stretches: readonly ((writer: ArchiveWriter) => Promise<void>)[]): Promise<string> {
  let archive: Archive = NEW_ARCHIVE
  const parts: Buffer[] = []
  for (const write of stretches) {
    const writer = new ArchiveWriter(JSON.parse(JSON.stringify(archive)) as Archive)
    await write(writer)
    const taken = await writer.take()
    parts.push(taken.bytes)
    archive = taken.archive
  }
  expect(archive.offset).toBe(Buffer.concat(parts).length)
  const file = path.join(folder, `${randomBytes(4).toString('hex')}.zip`)
  fs.writeFileSync(file, Buffer.concat(parts))
  return file
}

const unzipped = (file: string, member: string): Buffer =>
  execFileSync('unzip', ['-p', file, member], { maxBuffer: 1 << 28 })

test('stretches written one after the other are one archive, which other programs read', async () => {
  const long = Buffer.from(Array.from({ length: 40_000 }, (_, n) => `{"n":${n}}`).join(',\n'))
  const noise = randomBytes(300_000)
  const file = await fileOf([
    async (writer) => {
      writer.begin('list.json')
      await writer.write(Buffer.from('[\n'))
      await writer.write(long.subarray(0, 100_001))
    },
    async (writer) => writer.write(long.subarray(100_001, 200_002)),
    () => Promise.resolve(),
    async (writer) => {
      await writer.write(long.subarray(200_002))
      await writer.write(Buffer.from('\n]\n'))
      await writer.end()
      writer.begin('deeper/noise.bin')
    },
    async (writer) => {
      await writer.write(noise)
      await writer.end()
      writer.begin('nothing')
      await writer.end()
      writer.close()
    },
  ])
  expect(execFileSync('unzip', ['-t', file]).toString()).toContain('No errors detected')
  expect(unzipped(file, 'list.json').toString()).toBe(`[\n${long.toString()}\n]\n`)
  expect(unzipped(file, 'deeper/noise.bin').equals(noise)).toBe(true)
  expect(unzipped(file, 'nothing')).toHaveLength(0)
})

test('an archive without members is one', async () => {
  const file = await fileOf([(writer) => Promise.resolve(writer.close())])
  expect(fs.statSync(file).size).toBe(56 + 20 + 22)
})
