import type { Context } from '../../../http/context.ts'
import type { CloudAKms } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKms } from '../find-kms.ts'
import { presentStored } from './present-kms.ts'

/** @throws Refusal NOT_FOUND, also for an entry the caller may not see */
export const getKms = async (context: Context, id: string): Promise<Stored<CloudAKms>> =>
  presentStored(await findKms(context, id))
