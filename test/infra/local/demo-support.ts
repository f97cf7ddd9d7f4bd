import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect } from 'vitest'
import { temporaryFolder } from './deployment-support.ts'

const DEMO = path.join(import.meta.dirname, '../../../infra/local/demo.ts')
export const PATIENCE_MS = 120_000
export const folder = temporaryFolder()
afterAll(() => fs.rmSync(folder, { recursive: true }))

interface Ended {
  readonly code: unknown
  readonly out: string
  readonly err: string
}

/** Runs `npm run demo -- <args>` in a folder without files of a service. */
export async function demo(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [DEMO, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (ended.out += String(chunk)))
  child.stderr.on('data', (chunk) => (ended.err += String(chunk)))
  const [code] = (await once(child, 'close')) as [unknown]
  return { code, ...ended }
}

/** Steps that the demo shows only on a service that it started. */
export const OWN = [
  'Make an external key store, through which the cloud calls keymgr, and connect it',
  'Host a key: its material stays here, the cloud makes a key of its own in front of it',
  'Encrypt through the cloud with the hosted key, rotate it, and read what was written before and after',
  'Block the hosted key: the cloud gets nothing from it any more, until it is unblocked',
  'Cloud-b: connect with a client secret, and add a vault',
  'Cloud-b: upload a local RSA key into hardware under a key-exchange key, and let the cloud make its next version',
  "Cloud-b: report what was done with the vault's keys, by its diagnostic log",
  "Cloud-c: connect with a service account's key file, and add a key ring",
  'Cloud-c: upload the local key through an import job, and rotate it by a version that the cloud makes',
  "Cloud-c: report what was done with the ring's keys, by the cloud's own audit log",
  'Cloud-d: connect with an API key, and add a vault',
  "Cloud-d: upload the local key under the vault's wrapping key, and rotate it by a version of the cloud",
  'Crm: connect as a user of the platform, and add the organization',
  'Crm: let the platform generate a tenant secret, which its data is encrypted under from now on',
  'Datacust: connect as a technical user, and add a group of keys',
  'Datacust: upload the local key, and rotate it by a version that the platform makes',
  'DKE: make an endpoint whose documents the people of one tenant open',
  'DKE: protect a document as its author does, and open it as a reader does',
  'KACLS: name the identity provider of a company, and make an endpoint for the files of its people',
  "KACLS: wrap the key of a file as its author's browser does, and unwrap it as a reader's does",
  'KACLS: let in the people of a perimeter alone',
]
export const STEPS = [
  'Log in',
  'Add a connection to the cloud, and test it',
  'Read the account behind it, and its regions',
  'Add the account with one region as a KMS entry',
  'Look up users of the account, for policies',
  'Create a local key',
  'Upload it to the cloud, with an alias and a tag',
  'Create two native keys, whose material the cloud makes',
  "Encrypt with the uploaded key, as an application does: with the cloud's own SDK, by the alias",
  'Rotate the uploaded key: its alias moves on, and it stops encrypting',
  'The alias encrypts with the new key now; the old key only decrypts',
  'Another user of the cloud deletes one key and makes another',
  'Refresh: a synchronization job reads all keys of the entry',
  'Find keys by tag, alias, origin and state',
  'Disable the native key, and enable it again',
  'Make a policy template, and put it on the new key',
  'Put it on all native keys in one bulk job',
  'Schedule the deletion of the native key, and cancel it',
  ...OWN,
  'Read the audit records of it all',
  'Clean up: everything the demo made goes, at the cloud after the seven days it takes',
]
export const stepsOf = (out: string): string[] => [...out.matchAll(/^\d+\. (.+)$/gm)].map(([, title = '']) => title)

export function expectNothingSecret(out: string): void {
  expect(out).toContain('"password":"(hidden)"')
  expect(out).toContain('"secret_access_key":"(hidden)"')
  expect(out).not.toContain('simulated-cloud-a-secret')
  expect(out).not.toMatch(/eyJ[\w-]{10}/) // the first characters of every token
}
