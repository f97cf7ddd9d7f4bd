/**
 * The types of the client library, `clients/sdk/api.d.ts`, made of the API description. They are not committed, since they
 * follow from it: `node infra/api-types.ts` makes them of the committed one.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'

const fileOf = (name: string): string => fileURLToPath(new URL(`../clients/${name}`, import.meta.url))
export const DESCRIPTION = fileOf('openapi.json')
const TYPES = fileOf('sdk/api.d.ts')

/** Writes a file unless it has the text already, so that what watches it is left alone. */
export function writeChanged(file: string, text: string): void {
  try {
    if (readFileSync(file, 'utf8') === text) return
  } catch {
    // It is not there yet.
  }
  writeFileSync(file, text)
}

/** @param description OpenAPI as JSON; the committed one when nothing is said */
export async function writeApiTypes(description = readFileSync(DESCRIPTION, 'utf8')): Promise<void> {
  // A field with a default is required where the description requires it: in answers, not in bodies.
  writeChanged(TYPES, astToString(await openapiTS(description, { defaultNonNullable: false })))
}

if (process.argv[1] === import.meta.filename) await writeApiTypes()
