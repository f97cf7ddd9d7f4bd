import { expect, test } from 'vitest'
import { resourceKeyHash } from '../../../../shared/crypto/protocols/resource-key-hash.ts'
import vectors from '../../../vectors/resource-key-hash.json' with { type: 'json' }

test.each(vectors.tests)('the hash of $resourceName in "$perimeterId" equals that of the reference', (of) => {
  expect(resourceKeyHash(Buffer.from(of.dek, 'hex'), of.resourceName, of.perimeterId)).toBe(of.hash)
})
