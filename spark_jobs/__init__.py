"""Questions over the relations, asked by Spark: sessions, JDBC reads of one snapshot, and the jobs themselves."""
