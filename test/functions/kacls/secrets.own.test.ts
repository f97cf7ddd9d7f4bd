import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesBelow, found, textMarker, type Marker, type Place } from '../../support/markers.ts'
import { BOB, useKacls } from './kacls.ts'

/**
 * Uses keys, blobs and tokens in every call, then searches for them in everything that the deployment leaves behind.
 */
const folder = mkdtempSync(path.join(tmpdir(), 'keymgr-kacls-'))
afterAll(() => rmSync(folder, { recursive: true }))
const kacls = useKacls({ inMemory: false, dataDir: path.join(folder, 'data') })

const HARMLESS = `harmless-${randomBytes(9).toString('hex')}`
const harmless = textMarker('the harmless marker', HARMLESS)
const secrets: Marker[] = []
const answers: Place[] = []
const logged: Place[] = []
const records: Place[] = []

const remember = (what: string, text: string): string => {
  secrets.push({ what, bytes: Buffer.from(text, 'base64') })
  return text
}

/** A call with new tokens, whose signatures are recorded. */
async function call(endpoint: any, name: string, members: object, role: string, email?: string): Promise<any> {
  const authentication = await kacls().authentication(email === undefined ? {} : { email })
  const issuer = role === 'verifier' ? 'migration' : 'drive'
  const delegated = name === 'delegate' ? { delegated_to: BOB } : {}
  const authorization = await kacls().authorization(endpoint, { issuer, what: { role, ...delegated } })
  for (const token of [authentication, authorization])
    secrets.push(textMarker(`a token of ${name}`, token.split('.')[2] ?? ''))
  const { status, text, body } = await kacls().call(endpoint, name, members, {
    authentication,
    authorization,
    reason: HARMLESS,
  })
  if (status >= 400) answers.push({ name: `the refusal of ${name}`, content: Buffer.from(text) })
  return body
}

beforeAll(async () => {
  const endpoint = await kacls().create()
  await kacls().change(endpoint, { allow_privileged_unwrap: true })
  kacls().letPass()
  for (const bytes of [16, 32, 128]) {
    const key = remember(`a key of ${bytes} bytes`, randomBytes(bytes).toString('base64'))
    const { wrapped_key } = await call(endpoint, 'wrap', { key }, 'writer')
    remember('a blob', wrapped_key as string)
    expect(await call(endpoint, 'unwrap', { wrapped_key }, 'reader')).toEqual({ key })
    const { resource_key_hash } = await call(endpoint, 'digest', { wrapped_key }, 'verifier')
    remember('a hash', resource_key_hash as string)
    await call(endpoint, 'unwrap', { wrapped_key }, 'upgrader')
    await call(endpoint, 'unwrap', { wrapped_key }, 'reader', BOB)
    await call(endpoint, 'unwrap', { wrapped_key: `${wrapped_key as string}!` }, 'reader')
    await call(endpoint, 'wrap', { key: `${key}!` }, 'writer')
    expect((await kacls().privileged(endpoint, 'privilegedunwrap', { wrapped_key })).body).toEqual({ key })
    const imported = remember('an imported key', randomBytes(32).toString('base64'))
    remember(
      'an imported blob',
      (await kacls().privileged(endpoint, 'privilegedwrap', { key: imported })).body.wrapped_key,
    )
  }
  const { delegated_authentication } = await call(endpoint, 'delegate', {}, 'reader')
  secrets.push(textMarker('a delegated token', delegated_authentication.split('.')[2]))
  await kacls().act(endpoint.id, 'rotate-key')
  const { deployment } = kacls().vault.service
  await kacls().lines(1, { operation: 'delegate' })
  await deployment.logsDelivered()
  for (const record of await kacls().vault.records('service=kacls'))
    records.push({ name: `the record of ${record.message as string}`, content: Buffer.from(JSON.stringify(record)) })
  await deployment.stop()
  for (const { source, text } of deployment.logs())
    logged.push({ name: `a log line of ${source}`, content: Buffer.from(text) })
})

test('no refusal shows a key, a blob or a token', () => {
  expect(answers).toHaveLength(12)
  expect(found(secrets, answers)).toEqual([])
})

test('no log line shows one', () => {
  expect(found([harmless], logged).length).toBeGreaterThan(10)
  expect(found(secrets, logged)).toEqual([])
})

test('no audit record shows one', () => {
  expect(found([harmless], records).length).toBeGreaterThan(10)
  expect(found(secrets, records)).toEqual([])
})

test('no file of the deployment has one', () => {
  const files = filesBelow(path.join(folder, 'data'))
  expect(found([harmless], files)).toContain('the harmless marker in table.db')
  expect(found(secrets, files)).toEqual([])
})
