/**
 * Generates the types of the client library, `clients/sdk/api.d.ts`, from the API description. They are not committed,
 * since they can be derived: `node infra/api-types.ts` uses the committed description.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import { writeChangedFile } from './bundle-cache.ts'

/** A file of the clients. */
export const clientFile = (name: string): string => fileURLToPath(new URL(`../clients/${name}`, import.meta.url))
export const DESCRIPTION = clientFile('openapi.json')
const TYPES = clientFile('sdk/api.d.ts')

/** @param description OpenAPI as JSON; default: the committed one */
export async function writeApiTypes(description = readFileSync(DESCRIPTION, 'utf8')): Promise<void> {
  // A field with a default is required if the description requires it: in answers, not in bodies.
  const types = astToString(await openapiTS(description, { defaultNonNullable: false }))
  writeChangedFile(TYPES, Buffer.from(types))
}

if (process.argv[1] === import.meta.filename) await writeApiTypes()
