import { createHmac, timingSafeEqual } from 'node:crypto'
import { namesOf } from '../../toolkit/by-name.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call, Operations } from '../wire/call.ts'
import { blob, choice, optionalChoice, type Input } from '../../toolkit/aws/input.ts'
import { keyArn } from './keys.ts'
import { agree, SIGNATURES, signMessage, signOver, verifyMessage, verifyOver } from './pair-algorithms.ts'
import { currentOf } from '../state/passing-time.ts'
import { unsupported } from '../wire/refusals.ts'
import { stopDryRun, usable } from './cryptography.ts'

const MESSAGE = { max: 4096 }
const PUBLIC_KEY = { max: 8192 }
const SIGNATURE = { max: 6144 }
const MESSAGE_TYPES = ['RAW', 'DIGEST', 'EXTERNAL_MU'] as const
const MACS = { HMAC_SHA_224: 'sha224', HMAC_SHA_256: 'sha256', HMAC_SHA_384: 'sha384', HMAC_SHA_512: 'sha512' } as const
const MAC_NAMES = namesOf(MACS)

export const signatureOperations: Operations = {
  Sign: async (call, input) => {
    const { key, algorithm, message, material, isDigest } = await toSign(call, input)
    stopDryRun(input)
    const Signature = (isDigest ? signOver : signMessage)(material, algorithm, message).toString('base64')
    return { KeyId: keyArn(key), Signature, SigningAlgorithm: algorithm }
  },
  Verify: async (call, input) => {
    const signature = blob(input, 'Signature', SIGNATURE)
    const { key, algorithm, message, material, isDigest } = await toSign(call, input)
    if (!(isDigest ? verifyOver : verifyMessage)(material, algorithm, message, signature)) {
      throw new ServiceError('KMSInvalidSignatureException', 'The signature is not valid.')
    }
    stopDryRun(input)
    return { KeyId: keyArn(key), SignatureValid: true, SigningAlgorithm: algorithm }
  },
  GenerateMac: async (call, input) => {
    const { key, algorithm, mac } = await macOf(call, input)
    stopDryRun(input)
    return { Mac: mac.toString('base64'), MacAlgorithm: algorithm, KeyId: keyArn(key) }
  },
  VerifyMac: async (call, input) => {
    const given = blob(input, 'Mac', SIGNATURE)
    const { key, algorithm, mac } = await macOf(call, input)
    if (given.length !== mac.length || !timingSafeEqual(given, mac)) {
      throw new ServiceError('KMSInvalidMacException', 'The MAC is not valid.')
    }
    stopDryRun(input)
    return { KeyId: keyArn(key), MacValid: true, MacAlgorithm: algorithm }
  },
  DeriveSharedSecret: async (call, input) => {
    const algorithm = choice(input, 'KeyAgreementAlgorithm', ['ECDH'])
    const publicKey = blob(input, 'PublicKey', PUBLIC_KEY)
    const key = usable(call, input, { usage: 'KEY_AGREEMENT', algorithm })
    const shared = agree(await call.state.bytesOf(key, currentOf(key)), publicKey)
    stopDryRun(input)
    return {
      KeyId: keyArn(key),
      SharedSecret: shared.toString('base64'),
      KeyAgreementAlgorithm: algorithm,
      KeyOrigin: key.origin,
    }
  },
}

/** The message of a request, or its digest. */
async function toSign(call: Call, input: Input) {
  const message = blob(input, 'Message', MESSAGE)
  const algorithm = choice(input, 'SigningAlgorithm', SIGNATURES)
  const type = optionalChoice(input, 'MessageType', MESSAGE_TYPES) ?? 'RAW'
  const key = usable(call, input, { usage: 'SIGN_VERIFY', algorithm })
  if (type === 'EXTERNAL_MU') throw unsupported(`MessageType ${type} is not for keys of this spec.`)
  return {
    key,
    algorithm,
    message,
    isDigest: type === 'DIGEST',
    material: await call.state.bytesOf(key, currentOf(key)),
  }
}

async function macOf(call: Call, input: Input) {
  const message = blob(input, 'Message', MESSAGE)
  const algorithm = choice(input, 'MacAlgorithm', MAC_NAMES)
  const key = usable(call, input, { usage: 'GENERATE_VERIFY_MAC', algorithm })
  const material = await call.state.bytesOf(key, currentOf(key))
  return { key, algorithm, mac: createHmac(MACS[algorithm], material).update(message).digest() }
}
