import { hash, randomBytes } from 'node:crypto'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import { sealPurpose } from './store.ts'

/** 64 characters of base64url. */
const TOKEN_BYTES = 48

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

export const tokenHash = (token: string): string => hash('sha256', token)

export async function sealedToken(domain: string, id: string, token: string): Promise<string> {
  const clear = Buffer.from(token)
  try {
    return await sealFor(domain, sealPurpose(id), clear)
  } finally {
    clear.fill(0)
  }
}

/** @throws Refusal CIPHERTEXT_INVALID */
export async function openedToken(domain: string, id: string, sealed: string): Promise<string> {
  const clear = await openFor(domain, sealPurpose(id), sealed)
  try {
    return clear.toString()
  } finally {
    clear.fill(0)
  }
}
