import type { Context } from '../../../http/context.ts'
import type { StoredCloudAKms } from './store.ts'
import * as containers from '../../../cloud/containers/idle.ts'

const asContainer = ({ id, name }: StoredCloudAKms) => ({ id, called: `The KMS entry ${name}` })

/** As of any container. @throws Refusal IN_USE */
export const assertIdle = (context: Pick<Context, 'caller' | 'changes'>, kms: StoredCloudAKms): Promise<void> =>
  containers.assertIdle(context, asContainer(kms))

/** As of any container. @throws Refusal IN_USE */
export const assertNoWork = (context: Pick<Context, 'caller'>, kms: StoredCloudAKms): Promise<void> =>
  containers.assertNoWork(context, asContainer(kms))
