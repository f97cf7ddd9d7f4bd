import * as fs from 'node:fs'
import * as path from 'node:path'

/** A recognisable value that the service received, and its name in messages. */
export interface Marker {
  readonly what: string
  readonly bytes: Buffer
}

export const textMarker = (what: string, text: string): Marker => ({ what, bytes: Buffer.from(text) })

/**
 * Base64 of `bytes` within the base64 of a longer value. It depends on where the bytes begin within a group of three,
 * so there are three forms, each without the characters that also depend on its neighbours.
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

/** Every form in which the bytes of a marker could have been written. */
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

/** A place that must contain no secret: its name and its whole content. */
export interface Place {
  readonly name: string
  readonly content: Buffer
}

/** Markers that occur in a place, in any form: `<marker> in <place>`. */
export const found = (markers: readonly Marker[], places: readonly Place[]): string[] =>
  markers.flatMap((marker) => {
    const forms = formsOf(marker)
    return places
      .filter(({ content }) => forms.some((form) => content.includes(form)))
      .map(({ name }) => `${marker.what} in ${name}`)
  })

/** Every file below a folder, with its raw content. */
export const filesBelow = (folder: string): Place[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return { name: path.relative(folder, file), content: fs.readFileSync(file) }
    })
