import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** The name of a new file with this content, deleted after the test. */
export function file(content: string | Uint8Array): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'x509-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const name = path.join(folder, 'file')
  fs.writeFileSync(name, content)
  return name
}

/** The text that OpenSSL prints on both streams, and whether it succeeded. */
export function openssl(...args: string[]): { readonly text: string; readonly holds: boolean } {
  const { status, stdout, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  return { text: `${stdout}${stderr}`, holds: status === 0 }
}

/** Output bytes of OpenSSL. @throws Error if it fails */
export const bytesBy = (...args: string[]): Buffer =>
  execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] })

/**
 * OpenSSL's certificate request, for invalid requests that the service's own code would not write. @param options such
 * as `-addext`
 */
export const requestBy = (key: KeyObject, subject: string, ...options: string[]): string =>
  bytesBy(
    ...['req', '-new', '-utf8', '-key', file(key.export({ type: 'pkcs8', format: 'pem' }))],
    ...['-subj', subject, ...options],
  ).toString()

export const pairs = {
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}
