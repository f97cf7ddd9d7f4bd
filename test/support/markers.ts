import * as fs from 'node:fs'
import * as path from 'node:path'

/** Something recognisable that was handed to the service, and what to call it when it turns up. */
export interface Marker {
  readonly what: string
  readonly bytes: Buffer
}

export const textMarker = (what: string, text: string): Marker => ({ what, bytes: Buffer.from(text) })

/**
 * Base64 of `bytes` as it reads inside the base64 of anything longer: where the bytes begin within a group of three
 * decides how they read, so there are three readings, each without the characters it shares with its neighbours.
 */
function base64Readings(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const whole = Math.floor(((before + bytes.length) * 8) / 6)
    return text.slice(Math.ceil((before * 8) / 6), whole)
  })
}

/** Every way in which the bytes of a marker may have been written down. */
function formsOf({ bytes }: Marker): Buffer[] {
  const base64 = base64Readings(bytes)
  const texts = [
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    [...bytes].join(','),
  ]
  const once = Buffer.from(JSON.stringify(bytes.toString('utf8')).slice(1, -1))
  return [bytes, once, Buffer.from(bytes.toString('utf8'), 'utf16le'), ...texts.map((text) => Buffer.from(text))]
}

/** A place where nothing secret may be: a name for it, and everything that is there. */
export interface Place {
  readonly name: string
  readonly content: Buffer
}

/** Which markers are where, in whatever form: `<marker> in <place>`. */
export const found = (markers: readonly Marker[], places: readonly Place[]): string[] =>
  markers.flatMap((marker) => {
    const forms = formsOf(marker)
    return places
      .filter(({ content }) => forms.some((form) => content.includes(form)))
      .map(({ name }) => `${marker.what} in ${name}`)
  })

/** Every file below a folder, as it stands on the disk. */
export const filesBelow = (folder: string): Place[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return { name: path.relative(folder, file), content: fs.readFileSync(file) }
    })
