import type { KMSClient } from '@aws-sdk/client-kms'
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DecryptCommand,
  EncryptCommand,
  KMSServiceException,
  ScheduleKeyDeletionCommand,
  type Tag,
} from '@aws-sdk/client-kms'
import { DemoFailure } from '../failure.ts'
import type { Narrator } from '../narrator.ts'

/** A user of the account, without keymgr: the cloud's official SDK with the address of the simulator. */
export class CloudUser {
  readonly #kms: KMSClient
  readonly #narrator: Narrator

  constructor(kms: KMSClient, narrator: Narrator) {
    this.#kms = kms
    this.#narrator = narrator
  }

  /** @param keyId id of a key, or `alias/…`. @returns the ciphertext and the ARN of the key that encrypted it */
  async encrypt(keyId: string, plaintext: string): Promise<{ ciphertext: Uint8Array; arn: string }> {
    this.#asks('Encrypt', keyId)
    const { CiphertextBlob: ciphertext, KeyId: arn } = await this.#send(() =>
      this.#kms.send(new EncryptCommand({ KeyId: keyId, Plaintext: Buffer.from(plaintext) })),
    )
    if (ciphertext === undefined || arn === undefined) throw new DemoFailure('The cloud encrypted to nothing.')
    this.#narrator.answer('done', { KeyId: arn })
    return { ciphertext, arn }
  }

  /** @param error name of the refusal @throws DemoFailure when the cloud encrypts */
  async encryptIsRefused(keyId: string, error: string): Promise<void> {
    this.#asks('Encrypt', keyId)
    try {
      await this.#kms.send(new EncryptCommand({ KeyId: keyId, Plaintext: Buffer.from('no longer') }))
    } catch (thrown) {
      if (!(thrown instanceof KMSServiceException) || thrown.name !== error) throw cloudFailure(thrown)
      return this.#narrator.answer('refused', { error })
    }
    throw new DemoFailure(`The cloud still encrypts with the key ${keyId}.`)
  }

  async decrypt(keyId: string, ciphertext: Uint8Array): Promise<string> {
    this.#asks('Decrypt', keyId)
    const { Plaintext = new Uint8Array() } = await this.#send(() =>
      this.#kms.send(new DecryptCommand({ KeyId: keyId, CiphertextBlob: ciphertext })),
    )
    const plaintext = Buffer.from(Plaintext).toString()
    this.#narrator.answer('done', { plaintext })
    return plaintext
  }

  /** @returns id of the new key */
  async createKey(alias: string, tags: readonly Tag[]): Promise<string> {
    this.#narrator.request('cloud: CreateKey, CreateAlias', { AliasName: `alias/${alias}` })
    const { KeyMetadata } = await this.#send(() => this.#kms.send(new CreateKeyCommand({ Tags: [...tags] })))
    const id = KeyMetadata?.KeyId ?? ''
    await this.#send(() => this.#kms.send(new CreateAliasCommand({ AliasName: `alias/${alias}`, TargetKeyId: id })))
    this.#narrator.answer('done', { KeyId: id })
    return id
  }

  async scheduleDeletion(keyId: string, days: number): Promise<void> {
    this.#narrator.request('cloud: ScheduleKeyDeletion', { KeyId: keyId, PendingWindowInDays: days })
    const { KeyState } = await this.#send(() =>
      this.#kms.send(new ScheduleKeyDeletionCommand({ KeyId: keyId, PendingWindowInDays: days })),
    )
    this.#narrator.answer('done', { KeyState })
  }

  #asks(operation: string, keyId: string): void {
    this.#narrator.request(`cloud: ${operation}`, { KeyId: keyId })
  }

  async #send<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw cloudFailure(error)
    }
  }
}

const cloudFailure = (cause: unknown): DemoFailure =>
  new DemoFailure(`The cloud refused: ${cause instanceof Error ? `${cause.name}, ${cause.message}` : String(cause)}.`, {
    cause,
  })
