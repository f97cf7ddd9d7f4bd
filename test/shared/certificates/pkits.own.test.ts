import fs from 'node:fs'
import { expect, test } from 'vitest'
import { Refusal } from '../../../shared/base/errors.ts'
import { uuid } from '../../../shared/base/ids.ts'
import { externalCaResource } from '../../../shared/certificates/external/external.ts'
import { authorityTrust } from '../../../shared/certificates/trust.ts'
import { pemOf } from '../../../shared/crypto/asn1/pem.ts'
import { useTable } from '../../support/store.ts'
import { callerFrom, request } from '../identity/users/requests.ts'

useTable()

interface Vectors {
  readonly anchor: string
  readonly paths: readonly { section: string; title: string; path: readonly string[]; result: 'valid' | 'invalid' }[]
  readonly certificates: Readonly<Record<string, string>>
}
const { anchor, paths, certificates } = JSON.parse(fs.readFileSync('test/vectors/pkits.json', 'utf8')) as Vectors
const pem = (name = ''): string => pemOf('CERTIFICATE', Buffer.from(certificates[name] ?? '', 'base64'))

const now = new Date('2020-06-01T00:00:00Z')

/** Whether a path from the anchor to a client is accepted, in a new domain with the authorities of the path. */
async function isAccepted(path: readonly string[]): Promise<boolean> {
  const domain = { id: uuid(now), name: 'pkits' }
  const options = { caller: callerFrom(domain), now }
  let id: string | undefined
  try {
    for (const name of [anchor, ...path.slice(0, -1)]) {
      const body = { cert: pem(name), parent: id }
      id = (await request((context) => externalCaResource.create(context, body), options)).item.id
    }
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'RULE_BROKEN') return false
    throw error
  }
  await request(
    (context) => externalCaResource.update(context, id ?? '', { allow_client_authentication: true }),
    options,
  )
  return (await authorityTrust.trusted(domain.id, pem(path.at(-1)), 'client', now)) !== undefined
}

test.each(paths)('PKITS $section $title: $result', async ({ path, result }) => {
  expect(await isAccepted(path)).toBe(result === 'valid')
})
