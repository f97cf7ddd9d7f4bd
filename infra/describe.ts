/**
 * `npm run describe` writes the API description to `clients/openapi.json`, which is committed, and the types of the client
 * library, which are not: they follow from it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import { openApiDocument } from './openapi.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(`../clients/${name}`, import.meta.url))
const DESCRIPTION = fileOf('openapi.json')
const TYPES = fileOf('sdk/api.d.ts')

/** Writes a file unless it has the text already, so that what watches it is left alone. */
function write(file: string, text: string): void {
  try {
    if (readFileSync(file, 'utf8') === text) return
  } catch {
    // It is not there yet.
  }
  writeFileSync(file, text)
}

const text = `${JSON.stringify(await openApiDocument(), undefined, 1)}\n`
write(DESCRIPTION, text)
// A field with a default is required where the description requires it: in answers, not in bodies.
write(TYPES, astToString(await openapiTS(text, { defaultNonNullable: false })))
