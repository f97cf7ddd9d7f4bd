import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { Unreadable, ZipReader } from '../../../clients/verify/zip-reader.ts'
import { MOST_BYTES, refusingLater, type Target } from '../target.ts'

const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-fuzz-zip-'))
process.on('exit', () => {
  fs.rmSync(folder, { recursive: true, force: true })
})
const file = path.join(folder, 'one.zip')

interface Member {
  readonly name: string
  readonly content: Buffer
  readonly method?: number
}

/** An archive; `change` alters its last record, the end of the directory. */
function zip(members: readonly Member[], change: (end: Buffer) => void = () => undefined): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, method = 0 } of members) {
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(method, 8)
    local.writeUInt32LE(content.length, 18)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(content.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    parts.push(local, Buffer.from(name), content)
    directory.push(entry, Buffer.from(name))
    offset += local.length + name.length + content.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  change(end)
  return Buffer.concat([...parts, ...directory, end])
}

const text: Member = { name: 'a.txt', content: Buffer.from('hello') }

export const target: Target = {
  parse: (bytes) => {
    fs.writeFileSync(file, bytes)
    return refusingLater([Unreadable], async () => {
      const archive = await ZipReader.open(file)
      for (const name of archive.names.slice(0, 3)) await archive.bytes(name)
    })
  },
  seeds: () => [
    zip([text]),
    zip([text, { name: 'b', content: deflateRawSync(Buffer.from('hello hello')), method: 8 }]),
  ],
  shapes: () => ({
    'a directory of 4 GB': zip([text], (end) => end.writeUInt32LE(0xffff_fff0, 12)),
    'a directory beyond the end': zip([text], (end) => end.writeUInt32LE(0x7fff_ffff, 16)),
    'many members': zip(Array.from({ length: 660 }, (_, at) => ({ name: `member-${at}`, content: Buffer.alloc(0) }))),
    'content that grows a thousand times': zip([
      { name: 'bomb', content: deflateRawSync(Buffer.alloc(60_000_000), { level: 9 }), method: 8 },
    ]),
    'ends of a directory': Buffer.alloc(MOST_BYTES, Buffer.from('504b0506', 'hex')),
    zeros: Buffer.alloc(MOST_BYTES),
  }),
}
