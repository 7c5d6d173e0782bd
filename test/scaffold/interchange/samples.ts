/** A prd.json of the plain form: two spaces, a final newline, order by priority alone. */
export const plainPrd = `{
  "project": "Ledger",
  "branchName": "ralph/monthly-report",
  "description": "Monthly report - Sums by month and account",
  "userStories": [
    {
      "id": "US-001",
      "title": "Store the month with each booking",
      "description": "As a bookkeeper, I want each booking to know its month so that sums are quick.",
      "acceptanceCriteria": [
        "Add month column to bookings: 'YYYY-MM' | null (default null)",
        "Run \`npm run migrate\` on a copy of the data",
        "Typecheck passes"
      ],
      "priority": 1,
      "passes": false,
      "notes": ""
    },
    {
      "id": "US-002",
      "title": "Show sums by month",
      "description": "As a bookkeeper, I want to see sums by month.",
      "acceptanceCriteria": [
        "Sums of each month are shown, newest first",
        "Empty state where no booking is there"
      ],
      "priority": 2,
      "passes": false,
      "notes": "Mind the time zone: \\u00fcberall UTC"
    }
  ]
}
`;

/** A prd.json of the form with \`dependsOn\`: \`name\`, metadata, labels, no notes, no final newline. */
export const needsPrd = `{
  "name": "Report by mail",
  "description": "Send the monthly report",
  "branchName": "feat/report-mail",
  "userStories": [
    {
      "id": "RM-1",
      "title": "Render the report as HTML",
      "description": "One page, no scripts.",
      "acceptanceCriteria": [
        "The page holds the sums of the month"
      ],
      "passes": true,
      "priority": 1,
      "labels": [
        "fast"
      ],
      "completionNotes": "Completed by agent"
    },
    {
      "id": "RM-2",
      "title": "Send it on the first of the month",
      "acceptanceCriteria": [
        "A mail goes to each address of the list"
      ],
      "passes": false,
      "priority": 1.0,
      "dependsOn": [
        "RM-1"
      ],
      "estimate": { "10": "b", "9": "a" }
    }
  ],
  "metadata": {
    "createdAt": "2026-01-02T03:04:05.000Z",
    "version": "1.0.0",
    "sourcePrd": "prd-report.md"
  }
}`;

/** The state file of a loop, as its setup writes it. */
export const loopFile = `---
active: true
iteration: 3
session_id: 0b1c
max_iterations: 20
completion_promise: "ALL GREEN"
started_at: "2026-01-01T00:00:00Z"
---

# Stream the CSV export

Write rows as they come. Stop when \`npm test\` passes.
`;
