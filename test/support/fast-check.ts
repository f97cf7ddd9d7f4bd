import fc from 'fast-check'

/**
 * Every run tests each property with the same cases, so that only a change can break a test. Another seed
 * (`KEYMGR_TEST_SEED`) tests other cases; fast-check prints the seed with a counterexample.
 */
fc.configureGlobal({ seed: Number(process.env.KEYMGR_TEST_SEED ?? 20_260_101) })

export default fc
